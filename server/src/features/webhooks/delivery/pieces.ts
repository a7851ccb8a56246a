import { Duplex } from "node:stream"

/** A read of a socket has up to 64 KiB: thousands of heads or chunks, between which the parser does not stop. */
const pieceBytes = 1024

/** One piece in a turn of the event loop. The socket is paused until all of a read is handed on. */
export function inPieces(socket: Duplex): Duplex {
  let waiting: Buffer = Buffer.alloc(0)
  /** What follows the last piece: the end may arrive while a read is still handed on. */
  let finish: (() => void) | undefined
  const handOn = () => {
    if (waiting.length === 0) return finish === undefined ? void socket.resume() : finish()
    const piece = waiting.subarray(0, pieceBytes)
    waiting = waiting.subarray(pieceBytes)
    pieces.push(piece)
  }
  const pieces = new Duplex({
    read: () => void setImmediate(handOn),
    write: (bytes, encoding, done) => void socket.write(bytes, encoding, done),
    // It may have ended already.
    final: (done) => void socket.end(() => done()),
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
  const finishWith = (last: () => void) => {
    if (finish !== undefined) return
    finish = last
    if (waiting.length === 0) finish()
  }
  socket.on("end", () => finishWith(() => pieces.push(null)))
  socket.on("error", (error) => finishWith(() => pieces.destroy(error)))
  socket.on("close", () => finishWith(() => pieces.destroy()))
  return pieces
}
