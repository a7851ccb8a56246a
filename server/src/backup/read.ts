import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { createGunzip } from "node:zlib"
import { keptTables } from "../db/table-lists.ts"
import type { Row } from "../db/table-rows.ts"
import type { KeptTable } from "../db/tables.ts"
import { exitCodes, StartError } from "../start-error.ts"
import { type Counts, type End, formatVersion, type Head, rowOf } from "./format.ts"

export interface BackupReader {
  onHead?(head: Head): Promise<void> | void
  onRow?(table: KeptTable, row: Row): Promise<void> | void
}

interface ReadBackup extends Pick<End, "rows" | "sha256"> {
  head: Head
}

/** More than any row takes. Otherwise a file of another kind could fill the memory before a line ends. */
const maxLineBytes = 4 * 1024 * 1024
const bytesPerPiece = 256 * 1024

/**
 * Reads a backup from start to end and returns what it held. Refuses a file that is not a backup, was cut short, or was
 * changed. A change shows at the end only, so a caller that acts on rows must be able to undo it.
 */
export async function readBackup(file: string, { onHead, onRow }: BackupReader): Promise<ReadBackup> {
  const hash = createHash("sha256")
  const rows: Counts = {}
  let head: Head | undefined
  let end: End | undefined
  for await (const lines of linesOf(file)) {
    for (const line of lines) {
      if (end !== undefined) throw damaged(file)
      const content = parsed(file, line)
      if (head === undefined) {
        head = headOf(file, content)
        await onHead?.(head)
      } else if (Array.isArray(content)) {
        const [table, cells] = content
        if (!isKept(table)) throw damaged(file)
        rows[table] = (rows[table] ?? 0) + 1
        // Awaited only where there is something to wait for: there are millions of rows.
        const written = onRow?.(table, rowOf(cells))
        if (written !== undefined) await written
      } else {
        end = content as End
        continue
      }
      hash.update(line)
    }
  }
  if (head === undefined || end === undefined || end.sha256 !== hash.digest("hex")) throw damaged(file)
  return { head, rows, sha256: end.sha256 }
}

const kept = new Set<unknown>(keptTables)
const isKept = (name: unknown): name is KeptTable => kept.has(name)

/**
 * The lines of each piece that was read, each with its line feed. Split at that byte alone: JSON text may hold other
 * characters that end a line elsewhere.
 */
async function* linesOf(file: string): AsyncGenerator<Buffer[]> {
  const source = createReadStream(file)
  const text = source.pipe(createGunzip({ chunkSize: bytesPerPiece }))
  source.on("error", (error) => text.destroy(error))
  let rest: Buffer[] = []
  let restLength = 0
  try {
    for await (const chunk of text as AsyncIterable<Buffer>) {
      const lines: Buffer[] = []
      let start = 0
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, start)) {
        const line = chunk.subarray(start, at + 1)
        lines.push(rest.length > 0 ? Buffer.concat([...rest, line]) : line)
        rest = []
        restLength = 0
        start = at + 1
      }
      yield lines
      rest.push(chunk.subarray(start))
      restLength += chunk.length - start
      if (restLength > maxLineBytes) throw notABackup(file)
    }
  } catch (error) {
    throw readError(file, error)
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
  if (typeof head?.envkeepBackup !== "number" || !Array.isArray(head.migrations)) throw notABackup(file)
  if (head.envkeepBackup > formatVersion) {
    throw refused(`The backup ${file} was written by a newer version of Envkeep. Restore it with that version`)
  }
  return head as Head
}

function readError(file: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (code === "Z_BUF_ERROR") return damaged(file)
  if (code === "Z_DATA_ERROR") return notABackup(file)
  if (code === "ENOENT") return refused(`There is no file ${file}`)
  return error instanceof StartError || code === undefined
    ? error
    : refused(`The backup ${file} cannot be read: ${code}`)
}

const refused = (sentence: string) => new StartError(exitCodes.failure, sentence)

const damaged = (file: string) =>
  refused(`The backup ${file} is damaged: it was cut short or changed. Nothing was restored`)

const notABackup = (file: string) =>
  refused(`The file ${file} is not an Envkeep backup, or is damaged. Nothing was restored`)
