import type { ImportEntry } from "./result.ts"

interface Ciphertext {
  what: string
  because: string
  refusal: string
}

const dotenvx: Ciphertext = {
  what: "dotenvx file",
  because: "its values begin with encrypted:",
  refusal: "This file was encrypted by dotenvx. Run dotenvx decrypt, and import the result",
}

const dotenvVault: Ciphertext = {
  what: "dotenv-vault file",
  because: "its names begin with DOTENV_VAULT_",
  refusal: "This file was encrypted by dotenv-vault. Run dotenv-vault decrypt, and import the result",
}

const ansibleVault: Ciphertext = {
  what: "Ansible Vault file",
  because: "it begins with $ANSIBLE_VAULT",
  refusal: "This file was encrypted by Ansible Vault. Run ansible-vault decrypt, and import the result",
}

const wholeTexts: [RegExp, Ciphertext][] = [
  [/^\$ANSIBLE_VAULT;/, ansibleVault],
  [
    /^(?:-----BEGIN (?:AGE ENCRYPTED FILE|PGP MESSAGE)-----|age-encryption\.org\/)/,
    {
      what: "encrypted file",
      because: "of its first line",
      refusal: "This file is encrypted. Decrypt it, and import the result",
    },
  ],
]

/** A text that is encrypted as a whole. */
export function encryptedText(text: string): Ciphertext | undefined {
  const head = text.slice(0, 200).trimStart()
  return wholeTexts.find(([start]) => start.test(head))?.[1]
}

/**
 * Variables whose values are encrypted. One is enough: a file with some encrypted values is read by a program that
 * decrypts them, and the values alone are of no use to any other.
 */
export function encryptedValues(entries: ImportEntry[]): Ciphertext | undefined {
  if (entries.some(({ value }) => /^encrypted:[\w+/=-]+$/.test(value))) return dotenvx
  if (entries.some(({ name, value }) => /^DOTENV_VAULT(?:_|$)/.test(name) && value !== "")) return dotenvVault
  if (entries.some(({ value }) => /^ENC\[AES256_GCM,data:/.test(value))) {
    return {
      what: "SOPS file",
      because: "its values begin with ENC[AES256_GCM",
      refusal: "This file was encrypted by SOPS. Run sops decrypt, and import the result",
    }
  }
  if (entries.some(({ value }) => value.startsWith("$ANSIBLE_VAULT;"))) {
    return { ...ansibleVault, because: "its values begin with $ANSIBLE_VAULT" }
  }
  return undefined
}
