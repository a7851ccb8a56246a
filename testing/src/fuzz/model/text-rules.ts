// The specification's rules for text, written independently of the server. A fault is a message that the refusal may have.

export type Fault = string | RegExp

const unstorable = /NUL|surrogate/

const length = (text: string) => [...text].length
const isStorable = (text: string) => !text.includes("\0") && text.isWellFormed()

function faultsOf(text: string, { blank, max }: { blank?: string; max: number }): Fault[] {
  const faults: Fault[] = []
  if (blank !== undefined && text === "") faults.push(blank)
  if (length(text) > max) faults.push(new RegExp(`at most ${max} characters`))
  if (!isStorable(text)) faults.push(unstorable)
  return faults
}

/** Of names that people see: no control characters, and none for the direction of text. */
function shownFaultsOf(text: string, rules: { blank: string; max: number }): Fault[] {
  const faults = faultsOf(text, rules)
  const isHidden = /[\p{Control}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u.test(text)
  return isHidden ? [...faults, /cannot contain control characters/] : faults
}

export const nameFaults = (name: string, blank = "Name is required") => shownFaultsOf(name.trim(), { blank, max: 100 })

export const descriptionFaults = (description: string) => faultsOf(description, { max: 1_000 })

export function itemNameFaults(name: string, blank = "Name is required"): Fault[] {
  const faults = faultsOf(name.trim(), { blank, max: 256 })
  return /[=\r\n]/.test(name.trim()) ? [...faults, /equals sign or a line break/] : faults
}

export const searchFaults = (text: string) => faultsOf(text.trim(), { blank: "Search text is required", max: 256 })

export function valueFaults(value: string): Fault[] {
  const faults: Fault[] = isStorable(value) ? [] : [unstorable]
  return Buffer.byteLength(value) > 65_536 ? [...faults, /at most 64 KiB/] : faults
}

export const usernameFaults = (username: string, blank: string) => shownFaultsOf(username.trim(), { blank, max: 64 })

export function emailFaults(email: string, blank: string): Fault[] {
  const faults = faultsOf(email.trim(), { blank, max: 254 })
  return /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(email.trim()) ? faults : [...faults, "Please enter a valid email address"]
}

/** The faults of an e-mail that is only looked up; it need not be a valid address. */
export const loginEmailFaults = (email: string, blank: string) => faultsOf(email.trim(), { blank, max: 254 })

export const passwordFaults = (password: string, blank: string) => faultsOf(password, { blank, max: 256 })

export const tokenFaults = (token: string) => faultsOf(token, { max: 100 })

export function newPasswordFaults(password: string, blank: string): Fault[] {
  const faults = passwordFaults(password, blank)
  return [...new Intl.Segmenter().segment(password)].length < 8 ? [...faults, /at least 8 characters/] : faults
}
