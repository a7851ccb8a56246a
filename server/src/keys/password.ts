import { hash, verify } from "@node-rs/argon2"

// OWASP's first choice. The parameters stand inside each hash, so raising them here re-hashes users as they log in.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const prefix = "$argon2id$v=19$m=19456,t=2,p=1$"

/** The hash of no password: checking against it costs what a real check costs, and always fails. */
const nobody = `${prefix}bm9ib2R5J3Mgb3duc2FsdA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA`

export function hashPassword(password: string): Promise<string> {
  return hash(password, cost)
}

/** Takes the same time for an account that does not exist, so that time does not tell which e-mails do. */
export function passwordMatches(stored: string | undefined, password: string): Promise<boolean> {
  return verify(stored ?? nobody, password)
}

export function isOutdated(stored: string): boolean {
  return !stored.startsWith(prefix)
}
