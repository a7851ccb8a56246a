import { limits, users } from "@envkeep/contract"
import { asciiHostName } from "../../access/host-name.ts"
import type { Claims } from "./provider.ts"
import type { OidcProvider } from "./settings.ts"

/** The verified e-mail address of a person, or why there is none that may be used. */
export function allowedEmail(claims: Claims, { domains }: OidcProvider): string | "unverified" | "domain" {
  const { email, email_verified: isVerified } = claims
  // Providers differ in what an unverified address means. Only what the specification calls verified is.
  if (typeof email !== "string" || isVerified !== true || !isAddress(email)) return "unverified"
  const domain = asciiHostName(email.slice(email.lastIndexOf("@") + 1))
  return domain !== undefined && (domains.length === 0 || domains.includes(domain)) ? email : "domain"
}

/** As the provider tells it, only to be shown. */
export function toldEmail({ email }: Claims): string {
  return typeof email === "string" && isAddress(email) ? email : ""
}

function isAddress(email: string): boolean {
  return users.update.input.safeParse({ username: "someone", email }).success
}

/** What to call a new user: what the provider calls them, or the beginning of their address. */
export function usernameOf(claims: Claims, email: string): string {
  const told = [claims["name"], claims["preferred_username"], email.slice(0, email.lastIndexOf("@"))]
  const fitting = told.map(shortened).find((one) => users.update.input.safeParse({ username: one, email }).success)
  return fitting ?? "user"
}

function shortened(told: unknown): string {
  return typeof told === "string" ? [...told.trim()].slice(0, limits.username).join("").trim() : ""
}

/** What may fill teams in a claim: a list of texts, or one text. Most name something else in the provider's directory. */
export function teamValuesIn(claims: Claims, claim: string): string[] {
  const told = claims[claim]
  const texts = (Array.isArray(told) ? told : [told]).filter((one): one is string => typeof one === "string")
  const values = texts.map((one) => one.trim()).filter((one) => one !== "" && !one.includes("\0") && one.isWellFormed())
  return [...new Set(values)].slice(0, limits.valuesPerClaim)
}
