import { limits } from "@envkeep/contract"
import { z } from "zod"
import { asciiHostName } from "../../access/host-name.ts"

/** A provider of OpenID Connect that people can sign in with. */
export interface OidcProvider {
  name: string
  /** What the button says. */
  label: string
  issuer: URL
  clientId: string
  clientSecret: string
  scopes: string[]
  /** The domains of e-mail addresses that may be used; without any, all may. */
  domains: string[]
  /** Whether a person without an account gets one. */
  mayRegister: boolean
  /** The claim whose values fill teams. */
  teamClaim: string | undefined
  /** Whether a sign-in there counts as two factors. */
  isTwoFactors: boolean
}

/** If it is not set, another setting decides whether a person without an account gets one. */
type ReadProvider = Omit<OidcProvider, "mayRegister"> & { mayRegister: boolean | undefined }

type Env = Record<string, string | undefined>

const text = z.string().trim()

const issuerFault = "must be the provider's https address, such as https://accounts.google.com"
const issuer = z
  .url({ protocol: /^https?$/, error: issuerFault })
  .transform((value) => new URL(value))
  .refine(({ search, hash, username }) => !search && !hash && !username, issuerFault)
  // Without https, anyone on the way could sign in as anyone.
  .refine(({ protocol, hostname }) => protocol === "https:" || isThisMachine(hostname), issuerFault)

const labelFault = "must have at most 40 characters"
const scopesFault = "must be words separated by spaces, with openid among them"
const domainsFault = "must be domains separated by commas, such as example.com"

const settings = z.object({
  ISSUER: issuer,
  CLIENT_ID: text,
  CLIENT_SECRET: text,
  LABEL: text.max(40, labelFault).optional(),
  SCOPES: text
    .transform((list) => list.split(/[\s,]+/))
    .refine((list) => list.includes("openid"), scopesFault)
    .default(["openid", "email", "profile"]),
  DOMAINS: text
    .transform((list) => list.split(",").map((one) => asciiHostName(one.trim()) ?? ""))
    .refine((list) => list.every((one) => one !== ""), domainsFault)
    .default([]),
  REGISTER: text
    .pipe(z.enum(["yes", "no"], "must be yes or no"))
    .transform((answer) => answer === "yes")
    .optional(),
  TEAM_CLAIM: text.optional(),
  SECOND_FACTOR: text.pipe(z.enum(["own", "provider"], "must be own or provider")).default("own"),
})

/** Each name of `ENVKEEP_OIDC` is a provider, with settings of its own: `ENVKEEP_OIDC_<NAME>_ISSUER` and so on. */
export function readProviders(env: Env): { providers: ReadProvider[]; faults: string[] } {
  const list = env["ENVKEEP_OIDC"]
  if (list === undefined) return { providers: [], faults: [] }
  const names = list.split(",").map((name) => name.trim())
  const isName = (name: string) => /^[a-z\d]+$/.test(name) && name.length <= limits.providerName
  if (!names.every(isName) || new Set(names).size < names.length) {
    return {
      providers: [],
      faults: ["ENVKEEP_OIDC must list different names in lower-case letters and digits, separated by commas"],
    }
  }
  const read = names.map((name) => readProvider(env, name))
  // Providers send browsers back to an address that they know in advance.
  const unknownAddress = env["PUBLIC_URL"] === undefined ? ["ENVKEEP_OIDC needs PUBLIC_URL"] : []
  return {
    providers: read.flatMap(({ provider }) => provider ?? []),
    faults: [...unknownAddress, ...read.flatMap(({ faults }) => faults)],
  }
}

function readProvider(env: Env, name: string): { provider?: ReadProvider; faults: string[] } {
  const prefix = `ENVKEEP_OIDC_${name.toUpperCase()}_`
  const names = settings.keyof().options
  const given = names.flatMap((one) => (env[prefix + one] === undefined ? [] : [[one, env[prefix + one]]]))
  const { data, error } = settings.safeParse(Object.fromEntries(given))
  if (error !== undefined) {
    const faultOf = ({ path: [setting = ""], message }: z.core.$ZodIssue) =>
      `${prefix}${String(setting)} ${env[prefix + String(setting)] === undefined ? "is missing" : message}`
    return { faults: error.issues.map(faultOf) }
  }
  const provider = {
    name,
    label: data.LABEL ?? name.charAt(0).toUpperCase() + name.slice(1),
    issuer: data.ISSUER,
    clientId: data.CLIENT_ID,
    clientSecret: data.CLIENT_SECRET,
    scopes: data.SCOPES,
    domains: data.DOMAINS,
    mayRegister: data.REGISTER,
    teamClaim: data.TEAM_CLAIM,
    isTwoFactors: data.SECOND_FACTOR === "provider",
  }
  return { provider, faults: [] }
}

export function isThisMachine(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname)
}
