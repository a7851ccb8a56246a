import { mkdir, open, readFile, rm, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { doctorCommand } from "@envkeep/server/cli/doctor.ts"
import { expect } from "vitest"
import { admin, backUp, backupFile, callCommand, restore, rotate, verifyAudit } from "./commands.ts"
import { run } from "./process.ts"
import { backedUp, opened } from "./restored.ts"
import type { StoreLocation } from "./store-location.ts"

export type Damage = [what: string, damage: (file: string) => Promise<void>]

/** The exit code of what cannot be opened. */
export const damaged = 74
const pageBytes = 4_096

export const bytes = (at: number, ...values: number[]) => {
  return async (path: string) => {
    const file = await open(path, "r+")
    await file.write(Buffer.from(values), 0, values.length, at)
    await file.close()
  }
}

const fill = (at: number, length: number, value: number) => bytes(at, ...Array<number>(length).fill(value))

const folderInPlaceOf = (part: string) => async (file: string) => {
  await rm(`${file}${part}`, { force: true })
  await mkdir(`${file}${part}`, { mode: 0o700 })
}

export const cannotBeOpened: Damage[] = [
  ["the first bytes", fill(0, 16, 0xff)],
  ["a page size of 0", fill(16, 2, 0)],
  ["a page size of 512", bytes(16, 2, 0)],
  ["a page size of 65,536", bytes(16, 0, 1)],
  ["the format for reading", fill(19, 1, 0xff)],
  ["the payload of a page", fill(21, 3, 0)],
  ["the count of pages", fill(28, 4, 0xff)],
  ["the format of the schema", fill(44, 4, 0xff)],
  ["the format of the schema, one too high", bytes(44, 0, 0, 0, 5)],
  ["the encoding of text", fill(56, 4, 0xff)],
  ["the whole header", fill(0, 100, 0)],
  ["the first page behind the header", fill(100, 8, 0)],
  ["a file cut in its header", (file) => truncate(file, 50)],
  ["a file cut after its header", (file) => truncate(file, 100)],
  ["a file cut after its first page", (file) => truncate(file, pageBytes)],
  ["a file cut in the middle", (file) => truncate(file, 20 * pageBytes)],
  ["a file of zeros", (file) => writeFile(file, Buffer.alloc(2 * pageBytes))],
  ["a file of text", (file) => writeFile(file, "no database, but long enough to look at. ".repeat(50))],
  ["a short text", (file) => writeFile(file, "no database")],
  ["a folder in its place", folderInPlaceOf("")],
  ["a folder in the place of its log", folderInPlaceOf("-wal")],
  ["a folder in the place of its journal", folderInPlaceOf("-journal")],
]

/** It can be opened and read, and is checked as a whole by the doctor only. */
export const shownByTheDoctor: Damage[] = [
  ["the room left in each page", fill(20, 1, 0xff)],
  ["the first free page", fill(32, 4, 0xff)],
  ["the count of free pages", fill(36, 4, 0xff)],
  ["the largest root page", fill(52, 4, 0xff)],
  ["the way to shrink", fill(64, 4, 0xff)],
]

export const withoutMeaning: Damage[] = [
  ["the count of changes", fill(24, 4, 0xff)],
  ["the number of the schema", fill(40, 4, 0xff)],
  ["the size of the cache", fill(48, 4, 0xff)],
  ["the numbers for programs", fill(60, 4, 0xff)],
  ["the name of the program and what is reserved", fill(68, 24, 0xff)],
  ["the version that wrote last", fill(92, 8, 0xff)],
]

/** The start and every command exit with 74, and a restore brings all back. */
export async function expectNotToOpen(damage: Damage[1]): Promise<void> {
  const { location, file, backup, expectRestored } = await damagedStore(damage)
  const before = await contentOf(file)
  const sentence = `The store in ${location.dataDir} cannot be opened: `

  expect(await run(location).ended).toMatchObject({
    code: damaged,
    err: expect.stringMatching(`^envkeep: ${sentence}.*\n$`),
  })
  for (const command of [
    () => admin(location, "list"),
    async () => backUp(location, await backupFile()),
    () => rotate(location),
    () => verifyAudit(location),
  ]) {
    const { exitCode, err } = await ended(command())
    expect([exitCode, err]).toEqual([damaged, [expect.stringContaining(sentence)]])
  }
  expect((await doctor(location))[0]).toBe(damaged)
  expect((await doctor(location))[1]).toContain(`fault: ${sentence}`)
  expect(await ended(restore(location, backup))).toEqual({
    exitCode: damaged,
    err: [expect.stringMatching(/^There is a store in .* which is damaged: .*; add --force to restore in its place$/)],
  })
  expect(await contentOf(file)).toEqual(before)

  const aside = await expectRestored()
  expect(await contentOf(aside)).toEqual(before)
}

/** The doctor exits with 74, and a restore brings all back. */
export async function expectDoctorToShow(damage: Damage[1]): Promise<void> {
  const { location, expectRestored } = await damagedStore(damage)
  expect(await doctor(location)).toEqual([damaged, expect.stringContaining("fault: The store's file is damaged: ")])
  await expectRestored()
}

export async function expectWhole(damage: Damage[1]): Promise<void> {
  const { location } = await damagedStore(damage)
  expect((await doctor(location))[0]).toBe(0)
  await run(location).url()
}

/** Someone's store, and a backup from before it was damaged. */
export async function damagedStore(damage: Damage[1]) {
  const { app, key, file: backup } = await backedUp()
  const { location } = app
  await app.close()
  const file = join(location.dataDir, "envkeep.db")
  await damage(file)
  return {
    location,
    file,
    backup,
    /** Returns where the damaged store is kept. */
    async expectRestored() {
      const { exitCode, out } = await restore(location, backup, "--force")
      expect(exitCode).toBe(0)
      expect((await (await opened(location)).guest.variables(key)).text).toBe('{"A":"1"}')
      return /^The store that was there before is kept as (.*)$/.exec(out.at(-1) ?? "")?.[1] ?? "?"
    },
  }
}

export function contentOf(path: string): Promise<Buffer | string> {
  return readFile(path).catch(({ code }: NodeJS.ErrnoException) => String(code))
}

/** As a process ends: what is thrown has an exit code too. */
export async function ended(command: Promise<{ exitCode: number; err: string[] }>) {
  const { exitCode, err } = await command.catch((error) => ({ exitCode: error.exitCode, err: [error.message] }))
  return { exitCode, err }
}

export async function doctor(location: StoreLocation): Promise<[exitCode: number, out: string]> {
  const { exitCode, out } = await callCommand(doctorCommand, location)
  return [exitCode, out.join("\n")]
}
