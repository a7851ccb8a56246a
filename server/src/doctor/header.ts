import { open } from "node:fs/promises"
import { join } from "node:path"
import { sqliteFile } from "../db/open.ts"
import { exitCodes } from "../start-error.ts"
import { type Finding, fault } from "./finding.ts"

/** Where SQLite's header says which format a program must know to write the file. */
const writeFormatAt = 18
const highestWriteFormat = 2

/**
 * SQLite reads a file whose format it does not know, and only refuses to write it: the doctor, which reads, would find no
 * fault. To be called before the store is opened, because closing a file gives up all locks that this process has on it.
 */
export async function checkHeader(dataDir: string): Promise<Finding[]> {
  const format = await readByte(join(dataDir, sqliteFile), writeFormatAt).catch(() => undefined)
  if (format === undefined || format <= highestWriteFormat) return []
  return [
    fault("The store's file is damaged: its header has an unknown format, so it cannot be written", exitCodes.damaged),
  ]
}

async function readByte(path: string, at: number): Promise<number | undefined> {
  const file = await open(path, "r")
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(1), 0, 1, at)
    return bytesRead === 1 ? buffer[0] : undefined
  } finally {
    await file.close()
  }
}
