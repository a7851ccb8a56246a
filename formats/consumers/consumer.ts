import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Format } from "../src/index.ts"

/** A program for which a format is written: what it makes of a text decides. */
export interface Consumer {
  name: string
  format: Format
  read: (text: string) => Map<string, string>
}

export function withFile<Result>(text: string, use: (file: string, folder: string) => Result): Result {
  const folder = mkdtempSync(join(tmpdir(), "envkeep-formats-"))
  try {
    const file = join(folder, "file")
    writeFileSync(file, text)
    return use(file, folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** What a program prints, started with nothing in its environment. It must succeed and have nothing to complain about. */
export function output(command: string, args: string[], input?: string): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    env: {},
    maxBuffer: 64 * 1024 * 1024,
    // Given a socket to read from, bash believes that it was called from afar and reads its user's start file.
    ...(input === undefined ? { stdio: ["ignore", "pipe", "pipe"] } : { input }),
  })
  if (error !== undefined) throw error
  if (status !== 0 || stderr.length > 0) throw new Error(`${command} ended with ${status}: ${stderr}`)
  return stdout.toString("utf8")
}
