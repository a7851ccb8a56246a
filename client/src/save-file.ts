import { promises as fs } from "node:fs"
import { warnOfGit } from "./git.ts"
import type { Given } from "./given.ts"
import type { Env, Format } from "./index.ts"
import { CommandError, describeCode } from "./messages.ts"
import { Misuse } from "./options.ts"
import { hasMark } from "./save-mark.ts"

interface SaveOptions {
  format: Format
  secret: Parameters<Env["text"]>[1]
  force: boolean
}

/** The file that was named. Only dotenv has a name by default: another format would replace what a save of it has written. */
export function fileToSave({ words: [file] }: Given, format: Format): string {
  if (file !== undefined) return file
  if (format !== "dotenv") throw new Misuse(`--format ${format} needs the name of a file, because .env is for dotenv`)
  return ".env"
}

/** Replaces only a file that an earlier save has written, unless forced to. */
export async function saveFile(env: Env, file: string, { format, secret, force }: SaveOptions): Promise<void> {
  const text = env.text(format, secret)
  try {
    const exists = await isExistingFile(file)
    if (exists && !force && !mayReplace(await fs.readFile(file, "utf8"), text)) throw notWritten(file)
    await env.save(file, { format, ...secret })
    await warnOfGit(file)
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    if (code === undefined || syscall === undefined) throw error
    throw new CommandError(`cannot save to ${file}: ${describeCode(code)}`)
  }
}

export function notWritten(file: string): CommandError {
  return new CommandError(
    `${file} exists, and envkeep did not write it`,
    "add --force to replace it, or save to another file",
  )
}

export async function isExistingFile(file: string): Promise<boolean> {
  const info = await fs.stat(file).catch((error) => {
    if (error.code === "ENOENT") return undefined
    throw error
  })
  // The link may be part of a repository, whose author would choose where the values go.
  if (info === undefined && (await isLink(file))) {
    throw new CommandError(
      `cannot save to ${file}: it is a link to a file that does not exist`,
      "delete the link, or save to the file that it names",
    )
  }
  if (info?.isDirectory()) throw new CommandError(`cannot save to ${file}: it is a folder`, "name a file in it")
  // A device would be replaced by a file of its name.
  if (info?.isFile() === false) throw new CommandError(`cannot save to ${file}: it is not a regular file`)
  return info !== undefined
}

function isLink(file: string): Promise<boolean> {
  return fs.lstat(file).then(
    (info) => info.isSymbolicLink(),
    () => false,
  )
}

/** An empty file has nothing to lose, and neither has one with the same variables. */
function mayReplace(existing: string, text: string): boolean {
  return hasMark(existing) || existing === "" || existing === text || existing === `${text}\n`
}
