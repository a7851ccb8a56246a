import { sentences } from "@envkeep/contract"
import type { FastifyRequest } from "fastify"
import { AppError } from "../errors.ts"

/**
 * A write from a browser must come from our own pages, or another site could write in the user's name. Browsers say
 * where a request comes from. A client that does not is not a browser, and sends no cookie that it did not get itself.
 */
export function refuseOtherOrigins({ headers, host }: FastifyRequest, publicOrigin: string | undefined): void {
  const site = headers["sec-fetch-site"]
  if (site !== undefined) {
    if (site === "same-origin" || site === "none") return
    throw refused()
  }
  const { origin } = headers
  if (origin === undefined) return
  const isOurs = publicOrigin === undefined ? hostOf(origin) === host : origin === publicOrigin
  if (!isOurs) throw refused()
}

/** Whether a page of another site has sent the browser here. An address that a person types or has saved is from none. */
export function isFromOtherSite({ headers }: Pick<FastifyRequest, "headers">): boolean {
  const site = headers["sec-fetch-site"]
  return site === "cross-site" || site === "same-site"
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined
}

function refused(): AppError {
  return new AppError("forbidden", sentences.otherOrigin)
}
