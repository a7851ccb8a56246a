import { encryptedText, encryptedValues } from "./ciphertext.ts"
import { readCompose } from "./compose.ts"
import { detectSyntax } from "./detect-syntax.ts"
import { readKubernetes } from "./kubernetes.ts"
import { otherFile } from "./other-files.ts"
import { parseJsonTree } from "./parse-json-tree.ts"
import * as platforms from "./platforms.ts"
import { readDotenv } from "./read-dotenv.ts"
import { readHeroku, readRaw, readSystemd } from "./read-lines.ts"
import { isProperties, readProperties } from "./read-properties.ts"
import { readShell } from "./read-shell.ts"
import { type ImportResult, maxFound, type Reading, refused, type Syntax } from "./result.ts"
import { type Documents, tooDeep } from "./tree.ts"
import * as vendors from "./vendors.ts"

/** The first that recognises a text reads it, so those that look for the most come first. */
const recognisers = [
  vendors.readSops,
  readKubernetes,
  readCompose,
  platforms.readLambda,
  platforms.readBitwarden,
  platforms.readGcpSecret,
  platforms.readGithubSecrets,
  vendors.readEcs,
  vendors.readDockerInspect,
  vendors.readSsm,
  vendors.readSecretsManager,
  vendors.readInfisical,
  vendors.readVercel,
  vendors.readDoppler,
  vendors.readVault,
  platforms.readEnvBlocks,
  vendors.readPairs,
  vendors.readAssignments,
  vendors.readFlatMap,
]

/** Every environment fits into a text of this length, also with much to escape. */
export const maxImportCharacters = 8 * 1024 * 1024

/** More than any file of variables has, and read in less than a second. */
const maxLines = 300_000

const tooManyLines = "This text has too many lines to read here. Import some of them at a time"
const tooManyVariables = "This text has more than 20,000 variables, and an environment can hold at most 10,000"
const tooManyFaults = "More than 20,000 lines of this text cannot be read. It does not look like a file of variables"
export const tooLongToImport = "This text is longer than 8 MiB, the most that can be saved"
export const binaryText = "This is not text. Choose a text file in UTF-8"

/**
 * Reads the variables in a text, whatever product wrote it. `syntax` is how to read it, as `detectSyntax` says or the user
 * chose. Asynchronous because the YAML parser is loaded when it is needed.
 */
export async function readImport(text: string, syntax = detectSyntax(text)): Promise<ImportResult> {
  const refusal = refusalOf(text)
  if (refusal !== undefined) return { syntax, ...refusal }
  const other = otherFile(text, syntax)
  if (other !== undefined) return { syntax, ...other }
  const read = await readAs(syntax, text)
  const tooMuch = tooMuchIn(read)
  if (tooMuch !== undefined) return { syntax, ...refused(read.what, read.because, tooMuch) }
  // Raw text is literal: who chooses it wants exactly these characters.
  const ciphertext = syntax === "raw" ? undefined : encryptedValues(read.entries)
  if (ciphertext === undefined) return { syntax, ...read }
  return { syntax, ...refused(ciphertext.what, ciphertext.because, ciphertext.refusal) }
}

function refusalOf(text: string): Reading | undefined {
  if (text.length > maxImportCharacters) return refused("Long text", "of its length", tooLongToImport)
  if (isBinary(text)) return refused("Binary data", "of its characters", binaryText)
  if (hasMoreLines(text, maxLines)) return refused("Long text", "of its lines", tooManyLines)
  const ciphertext = encryptedText(text)
  return ciphertext && refused(ciphertext.what, ciphertext.because, ciphertext.refusal)
}

function hasMoreLines(text: string, count: number): boolean {
  let at = 0
  for (let line = 1; line <= count && at !== -1; line++) at = text.indexOf("\n", at) + 1 || -1
  return at !== -1
}

function tooMuchIn({ entries, faults }: Reading): string | undefined {
  if (entries.length > maxFound) return tooManyVariables
  return faults.length > maxFound ? tooManyFaults : undefined
}

/** NUL characters, or many that an editor shows for bytes that are no text. Some of those may be in a value. */
export function isBinary(text: string): boolean {
  if (text.includes("\0")) return true
  const head = text.slice(0, 10_000)
  return (head.match(/(?![\t\n\r])[\p{Cc}\ufffd]/gu)?.length ?? 0) > head.length / 20 + 2
}

async function readAs(syntax: Syntax, text: string): Promise<Reading> {
  if (syntax === "dotenv") return isProperties(text) ? readProperties(text) : readDotenv(text)
  if (syntax === "shell") return readShell(text)
  if (syntax === "heroku") return readHeroku(text)
  if (syntax === "systemd") return readSystemd(text)
  if (syntax === "raw") return readRaw(text)
  if (syntax === "json") return recognise("JSON", parseJsonTree(text))
  const { parseYamlTree } = await import("./parse-yaml-tree.ts")
  return recognise("YAML", parseYamlTree(text))
}

function recognise(label: string, { documents, faults, refusal }: Documents): Reading {
  if (refusal !== undefined) return refused(label, refusal === tooDeep ? "of its nesting" : "of its structure", refusal)
  for (const recogniser of recognisers) {
    const read = recogniser(documents)
    if (read === undefined) continue
    // In the order of their lines, wherever the readers found them.
    const all = [...read.faults, ...faults].sort((one, other) => one.line - other.line)
    return reportEmpty({ ...read, what: read.what === "" ? label : read.what, faults: all })
  }
  return reportEmpty({ what: label, because: "of how it is written", entries: [], faults })
}

function reportEmpty(read: Reading): Reading {
  const isEmpty = read.entries.length + read.faults.length === 0 && read.refusal === undefined
  return isEmpty ? { ...read, faults: [{ line: 1, reason: "it has no names with values" }] } : read
}
