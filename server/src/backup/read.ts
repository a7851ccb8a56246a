import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { createGunzip } from "node:zlib"
import type { Row } from "../db/table-rows.ts"
import { type KeptTable, keptTables } from "../db/tables.ts"
import { exitCodes, StartError } from "../start/start-error.ts"
import { type Counts, type End, formatVersion, type Head, rowOf } from "./format.ts"

export interface BackupReader {
  onHead?(head: Head): Promise<void> | void
  onRow?(table: KeptTable, row: Row): Promise<void> | void
}

/** Longer than any row can be: a file of another kind must not fill the memory in search of the end of a line. */
const longestLine = 4 * 1024 * 1024

/**
 * Reads a backup from end to end and says what it held. Refuses a file that is not one, was cut short, or was changed; the
 * last of it can be known at the end only, so whoever acts on rows must be able to take it back.
 */
export async function readBackup(file: string, { onHead, onRow }: BackupReader): Promise<{ head: Head; rows: Counts }> {
  const hash = createHash("sha256")
  const rows: Counts = {}
  let head: Head | undefined
  let end: End | undefined
  for await (const line of linesOf(file)) {
    if (end !== undefined) throw damaged(file)
    const content = parsed(file, line)
    if (head === undefined) {
      head = headOf(file, content)
      await onHead?.(head)
    } else if (Array.isArray(content)) {
      const table = keptTables.find((name) => name === content[0])
      if (table === undefined) throw damaged(file)
      rows[table] = (rows[table] ?? 0) + 1
      await onRow?.(table, rowOf(content[1]))
    } else {
      end = content as End
      continue
    }
    hash.update(line).update("\n")
  }
  if (head === undefined || end === undefined || end.sha256 !== hash.digest("hex")) throw damaged(file)
  return { head, rows }
}

/** Split at the byte that ends a line: within text that JSON has written, nothing else may be taken for it. */
async function* linesOf(file: string): AsyncGenerator<Buffer> {
  const source = createReadStream(file)
  const text = source.pipe(createGunzip())
  source.on("error", (error) => text.destroy(error))
  let rest: Buffer[] = []
  let restLength = 0
  try {
    for await (const chunk of text as AsyncIterable<Buffer>) {
      let start = 0
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, start)) {
        yield Buffer.concat([...rest, chunk.subarray(start, at)])
        rest = []
        restLength = 0
        start = at + 1
      }
      rest.push(chunk.subarray(start))
      restLength += chunk.length - start
      if (restLength > longestLine) throw foreign(file)
    }
  } catch (error) {
    throw readable(file, error)
  } finally {
    source.destroy()
  }
  if (restLength > 0) throw damaged(file)
}

function parsed(file: string, line: Buffer): unknown {
  try {
    return JSON.parse(line.toString("utf8"))
  } catch {
    throw damaged(file)
  }
}

function headOf(file: string, content: unknown): Head {
  const head = content as Partial<Head> | null
  if (typeof head?.envkeepBackup !== "number" || !Array.isArray(head.migrations)) throw foreign(file)
  if (head.envkeepBackup > formatVersion) {
    throw refused(`The backup ${file} was written by a newer version of Envkeep. Restore it with that version`)
  }
  return head as Head
}

function readable(file: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (code === "Z_BUF_ERROR") return damaged(file)
  if (code === "Z_DATA_ERROR") return foreign(file)
  if (code === "ENOENT") return refused(`There is no file ${file}`)
  return error instanceof StartError || code === undefined
    ? error
    : refused(`The backup ${file} cannot be read: ${code}`)
}

const refused = (sentence: string) => new StartError(exitCodes.failure, sentence)

const damaged = (file: string) =>
  refused(`The backup ${file} is damaged: it was cut short or changed. Nothing was restored`)

const foreign = (file: string) =>
  refused(`The file ${file} is no backup of Envkeep, or is damaged. Nothing was restored`)
