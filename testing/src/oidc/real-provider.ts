import { generateKeyPairSync, randomUUID } from "node:crypto"
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import Provider from "oidc-provider"
import { clientId, clientSecret, publicUrl } from "./client-settings.ts"

/** What the provider tells about an account, by the name that its owner signs in with there. */
export type People = Record<string, Record<string, unknown>>

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
const signingKey = { ...privateKey.export({ format: "jwk" }), use: "sig", alg: "RS256", kid: "one" }

/** A real provider of OpenID Connect on a port of this machine. It believes everyone who says which account is theirs. */
export async function startRealProvider(people: People, { origin = publicUrl }: { origin?: string } = {}) {
  const server = createServer((request, response) => {
    if (request.url?.startsWith("/interaction/")) void interact(provider, request, response)
    else respond(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const issuer = `http://localhost:${port}`
  const provider: Provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [`${origin}/api/sign-in/acme/callback`],
        grant_types: ["authorization_code"],
        response_types: ["code"],
      },
    ],
    jwks: { keys: [signingKey] },
    cookies: { keys: [randomUUID()] },
    claims: {
      openid: ["sub"],
      email: ["email", "email_verified"],
      profile: ["name", "preferred_username"],
      groups: ["groups"],
    },
    scopes: ["openid", "email", "profile", "groups"],
    // Without these, it writes that it uses its own.
    ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_: unknown, sub: string) => ({ accountId: sub, claims: async () => ({ ...people[sub], sub }) }),
    // Without asking people whether we may know their e-mail.
    loadExistingGrant: async ({ oidc }: { oidc: { session: { accountId: string } } }) => {
      const grant = new provider.Grant({ accountId: oidc.session.accountId, clientId })
      grant.addOIDCScope("openid email profile groups")
      await grant.save()
      return grant
    },
  })
  const respond = provider.callback()
  return {
    issuer,
    people,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** A form that asks for the account; in it, a person can also go back. */
async function interact(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== "POST") {
    response.writeHead(200, { "content-type": "text/html" })
    response.end(`<!doctype html><html lang="en"><title>Acme</title><form method="post">
      <label>Account <input name="account"></label><button>Sign in</button><button name="cancel" value="1">Cancel</button>
    </form></html>`)
    return
  }
  let body = ""
  for await (const piece of request) body += String(piece)
  const fields = new URLSearchParams(body)
  const result = fields.has("cancel")
    ? { error: "access_denied", error_description: "The person went back" }
    : { login: { accountId: fields.get("account") ?? "" } }
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false })
}

/** A browser at the provider: it keeps its cookies, and signs in with an account if it is asked to. */
export function providerBrowser() {
  const cookies = new Map<string, string>()
  return {
    /** Goes to the provider's address, and returns the path to which the provider sends the browser back. */
    async visit(address: string, account: string | undefined): Promise<string> {
      let url = new URL(address)
      const { origin } = url
      for (let step = 0; step < 10; step++) {
        const isForm = url.pathname.startsWith("/interaction/")
        const body = account === undefined ? "cancel=1" : `account=${account}`
        const { status, headers } = await send(url, {
          cookie: Array.from(cookies, ([name, value]) => `${name}=${value}`).join("; "),
          ...(isForm ? { body } : {}),
        })
        for (const cookie of headers["set-cookie"] ?? []) {
          const [name = "", value = ""] = cookie.split(";", 1)[0]?.split("=") ?? []
          cookies.set(name, value)
        }
        const { location } = headers
        if (location === undefined) throw new Error(`the provider answered ${status}`)
        url = new URL(location, url)
        if (url.origin !== origin) return `${url.pathname}${url.search}`
      }
      throw new Error("the provider sends the browser in circles")
    },
  }
}

/** Not with `fetch`, whose addresses are searched for secrets: the provider has its own in its addresses. */
function send(
  url: URL,
  { cookie, body }: { cookie: string; body?: string },
): Promise<{ status: number | undefined; headers: IncomingHttpHeaders }> {
  const form = { method: "POST", headers: { cookie, "content-type": "application/x-www-form-urlencoded" } }
  return new Promise((resolve, reject) => {
    request(url, body === undefined ? { headers: { cookie } } : form, (response) => {
      response.resume().on("end", () => resolve({ status: response.statusCode, headers: response.headers }))
    })
      .on("error", reject)
      .end(body)
  })
}
