import { type Call, calls } from "@envkeep/contract"

/** Every call of the contract. */
export const allCalls: Call[] = Object.values(calls).flatMap((group) => Object.values(group) as Call[])

/** A call as the log names it. */
export function routeOf({ method, path }: Call): string {
  return `${method} /api${path.replaceAll(/\{(\w+)\}/g, ":$1")}`
}

/** The routes of all requests in a log, to check that a test makes every call it should. */
export function routesIn(log: string[]): string[] {
  return log.map((line) => JSON.parse(line)).map(({ method, route }) => `${method} ${route}`)
}
