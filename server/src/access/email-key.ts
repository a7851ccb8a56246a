import { domainToASCII } from "node:url"
import { isAscii } from "./host-name.ts"

/** No two accounts share one. One mailbox has one, however its domain is written. */
export function emailKey(email: string): string {
  const at = email.lastIndexOf("@") + 1
  const domain = email.slice(at)
  // What the parser of URLs gives a meaning of its own is left as it is: it would make another domain of it.
  const isName = at > 0 && !isAscii(domain) && /^(?:[a-z\d.-]|\P{ASCII})+$/iu.test(domain)
  const ascii = isName ? domainToASCII(domain) : ""
  return foldCase(email.slice(0, at)) + (ascii === "" ? foldCase(domain) : ascii)
}

/** Text in a form that ignores case. */
export function foldCase(text: string): string {
  // Sigma is the only letter with two lower-case forms. Without this, one address could have two accounts.
  return text.normalize("NFC").toLowerCase().replaceAll("ς", "σ")
}
