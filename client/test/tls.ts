import { execFileSync } from "node:child_process"
import { once } from "node:events"
import { readFile } from "node:fs/promises"
import { type AddressInfo, connect } from "node:net"
import { join } from "node:path"
import { createServer } from "node:tls"
import { onTestFinished } from "vitest"
import { temporaryFolder } from "./world.ts"

/** Puts TLS in front of a server, as a reverse proxy does. One that cuts loses the answers to what has this text. */
export async function withTls(target: string, { cutsAfter }: { cutsAfter?: string } = {}) {
  const folder = await temporaryFolder()
  const [keyFile, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")]
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
  const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
  execFileSync("openssl", ["req", ...kind, ...subject, "-keyout", keyFile, "-out", certificate], { stdio: "pipe" })
  const { port } = new URL(target)
  const server = createServer({ key: await readFile(keyFile), cert: await readFile(certificate) }, (socket) => {
    const onward = connect({ host: "127.0.0.1", port: Number(port) })
    for (const end of [socket, onward]) end.on("error", () => undefined)
    if (cutsAfter !== undefined) socket.on("data", (data) => data.includes(cutsAfter) && socket.destroy())
    socket.pipe(onward).pipe(socket)
  })
  server.listen(0, "localhost")
  await once(server, "listening")
  onTestFinished(() => void server.close())
  return { url: `https://localhost:${(server.address() as AddressInfo).port}`, certificate }
}
