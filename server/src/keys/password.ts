import { availableParallelism } from "node:os"
import { hash, verify } from "@node-rs/argon2"
import { Shares } from "../bounds/shares.ts"

// OWASP's first choice. Each hash contains its parameters: after raising them here, users are re-hashed at their login.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const prefix = "$argon2id$v=19$m=19456,t=2,p=1$"

/** No password matches it, but checking against it takes as long as a real check. */
const dummyHash = `${prefix}bm9ib2R5J3Mgb3duc2FsdA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA`

/**
 * Each takes 19 MB, a processor, and one of Node's four threads, which also look up names and read files. One processor is
 * left for everything else.
 */
const hashesAtOnce = availableParallelism() > 2 ? 2 : 1
export const hashing = new Shares({ total: hashesAtOnce, perCaller: hashesAtOnce, waitingPerCaller: 100 })

/** `caller` is an address or a user: they take turns, so that many logins of one do not delay the login of another. */
export function hashPassword(password: string, caller: string): Promise<string> {
  return hashing.use(caller, () => hash(password, cost))
}

/** What is stored for an account that has no password. */
export const noPassword = ""

/**
 * Takes the same time for an account that does not exist, and for one without a password: the time does not reveal which
 * e-mails have one.
 */
export function passwordMatches(stored: string | undefined, password: string, caller: string): Promise<boolean> {
  return hashing.use(caller, () => verify(stored || dummyHash, password))
}

export function isOutdated(stored: string): boolean {
  return !stored.startsWith(prefix)
}
