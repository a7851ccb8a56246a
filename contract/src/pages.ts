import { limits } from "./limits.ts"

// Apart from the calls: the guards of the first load decide with this where a login leads.

export const startPage = "/collection/dashboard"

/** A page of ours to show after a login. Anything else, such as an address of another site, is the start page. */
export function pageAfter(wanted: string | null): string {
  if (wanted === null || wanted.length > limits.pagePath || !/^\/(?![/\\])[\x21-\x7e]*$/.test(wanted)) return startPage
  const base = "http://page.invalid"
  const { origin, pathname, search, hash } = new URL(wanted, base)
  const isPage = origin === base && !/^\/api(\/|$)/i.test(pathname) && !pathname.startsWith("//")
  return isPage ? `${pathname}${search}${hash}` : startPage
}
