import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { FormatName } from "../src/index.ts"

/** A program that a format is written for. Its reading of a text is the one that counts. */
export interface Consumer {
  name: string
  format: FormatName
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

/** What a program prints when it starts with an empty environment. It must succeed and write nothing to standard error. */
export function output(command: string, args: string[], input?: string): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    env: {},
    maxBuffer: 64 * 1024 * 1024,
    // With a socket as standard input, bash assumes a remote shell and reads the user's startup file.
    ...(input === undefined ? { stdio: ["ignore", "pipe", "pipe"] } : { input }),
  })
  if (error !== undefined) throw error
  if (status !== 0 || stderr.length > 0) throw new Error(`${command} ended with ${status}: ${stderr}`)
  return stdout.toString("utf8")
}
