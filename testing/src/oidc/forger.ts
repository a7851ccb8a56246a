import { createHmac, generateKeyPairSync, type KeyObject, randomUUID, sign } from "node:crypto"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"
import { clientId } from "./client-settings.ts"

type Fields = Record<string, unknown>

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })

/** A provider whose every answer a test can forge. Without that, it answers as it should. */
export async function startForger() {
  const nonces = new Map<string, string>()
  const server = createServer(async (request, response) => {
    let body = ""
    for await (const piece of request) body += String(piece)
    const path = request.url ?? ""
    self.requests.push(path)
    if (self.answer?.(path, response)) return
    if (path === "/.well-known/openid-configuration") send(response, { ...metadata(), ...self.metadata })
    else if (path === "/jwks")
      send(response, { keys: [{ ...publicKey.export({ format: "jwk" }), kid: "one", alg: "RS256" }] })
    else if (path === "/token") send(response, tokens(new URLSearchParams(body).get("code") ?? ""))
    else if (path === "/userinfo") send(response, { sub: self.subject, ...self.userInfo })
    else send(response, { error: "not_found" }, 404)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  onTestFinished(close)

  const self = {
    issuer,
    close,
    requests: [] as string[],
    subject: randomUUID() as string,
    metadata: {} as Fields,
    /** Replace the claims of the token that have these names; undefined removes one. */
    claims: {} as Fields,
    header: {} as Fields,
    userInfo: {} as Fields,
    /** Signs the token. A secret one makes a MAC, as HS256 does. */
    key: privateKey as KeyObject,
    honestKey: privateKey as KeyObject,
    /** Answers a request in any other way, and returns true. */
    answer: undefined as ((path: string, response: ServerResponse) => boolean) | undefined,
    /** The path to which a browser comes back from this address, with other parameters if the test says so. */
    comeBack(address: string, other: Record<string, string> = {}): string {
      const asked = new URL(address).searchParams
      const code = randomUUID()
      nonces.set(code, asked.get("nonce") ?? "")
      const parameters = new URLSearchParams({ code, state: asked.get("state") ?? "", ...other })
      return `${new URL(asked.get("redirect_uri") ?? "").pathname}?${parameters}`
    },
  }
  return self

  function metadata(): Fields {
    return {
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      userinfo_endpoint: `${issuer}/userinfo`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
    }
  }

  function tokens(code: string): Fields {
    const now = Math.floor(Date.now() / 1_000)
    const claims = {
      iss: issuer,
      aud: clientId,
      sub: self.subject,
      iat: now,
      exp: now + 300,
      nonce: nonces.get(code),
      email: `${self.subject}@example.com`,
      email_verified: true,
      ...self.claims,
    }
    const idToken = signed({ alg: "RS256", kid: "one", ...self.header }, claims, self.key)
    return { access_token: randomUUID(), token_type: "Bearer", id_token: idToken }
  }
}

function signed(header: Fields, claims: Fields, key: KeyObject): string {
  const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".")
  const signature =
    key.type === "secret" ? createHmac("sha256", key).update(text).digest() : sign("sha256", Buffer.from(text), key)
  return `${text}.${signature.toString("base64url")}`
}

function send(response: ServerResponse, content: Fields, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(content))
}
