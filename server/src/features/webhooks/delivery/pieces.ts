import { Duplex } from "node:stream"

/** A read of a socket has up to 64 KiB: thousands of heads or chunks, between which the parser does not stop. */
const pieceBytes = 1024

/** One piece in a turn of the event loop. The socket is paused until all of a read is handed on. */
export function inPieces(socket: Duplex): Duplex {
  let waiting: Buffer = Buffer.alloc(0)
  const handOn = () => {
    if (waiting.length === 0) return void socket.resume()
    const piece = waiting.subarray(0, pieceBytes)
    waiting = waiting.subarray(pieceBytes)
    pieces.push(piece)
  }
  const pieces = new Duplex({
    read: () => void setImmediate(handOn),
    write: (bytes, encoding, done) => void socket.write(bytes, encoding, done),
    final: (done) => void socket.end(done),
    destroy(error, done) {
      socket.destroy()
      done(error)
    },
  })
  socket.on("data", (bytes: Buffer) => {
    socket.pause()
    waiting = bytes
    handOn()
  })
  socket.on("end", () => pieces.push(null))
  socket.on("error", (error) => pieces.destroy(error))
  socket.on("close", () => {
    if (!socket.readableEnded) pieces.destroy()
  })
  return pieces
}
