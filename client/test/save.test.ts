import { execFileSync } from "node:child_process"
import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { formats as all, readableFormatNames } from "@envkeep/formats"
import { expect, test } from "vitest"
import { programs, quickConsumers } from "../../formats/consumers/index.ts"
import { formats } from "../src/index.ts"
import { envkeep } from "./command.ts"
import { asEnv, temporaryFolder, world } from "./world.ts"

const silent = { out: "", err: "" }
const mark = "# Written by envkeep save, which replaces the whole file.\n"

test("save is silent, writes .env by default, and only its owner can read the file", async () => {
  const env = asEnv(await world())
  const cwd = await temporaryFolder()
  expect(await envkeep(["save"], { env, cwd }).ended).toEqual({ code: 0, ...silent })
  expect(await envkeep(["save", "app.env", "--format", "systemd"], { env, cwd }).ended).toEqual({ code: 0, ...silent })
  expect((await readdir(cwd)).sort()).toEqual([".env", "app.env"])
  expect(await readFile(join(cwd, ".env"), "utf8")).toBe(`${mark}A=1\n`)
  expect(await readFile(join(cwd, "app.env"), "utf8")).toBe(`${mark}A="1"\n`)
  expect((await stat(join(cwd, ".env"))).mode & 0o777).toBe(0o600)
})

test.each(formats)(
  "a file that save wrote in the format %s is replaced, and every reader skips its mark",
  async (format) => {
    const made = await world([
      { name: "A", value: "it's 1" },
      { name: "B", value: "" },
    ])
    const env = asEnv(made)
    const cwd = await temporaryFolder()
    const save = () => envkeep(["save", "file", "--format", format], { env, cwd }).ended
    expect(await save()).toEqual({ code: 0, ...silent })
    await made.bulk([{ name: "C", value: "changed" }])
    expect(await save()).toEqual({ code: 0, ...silent })
    const saved = await readFile(join(cwd, "file"), "utf8")
    for (const { name, format: read, read: readBack } of [...quickConsumers, ...programs]) {
      if (read === format) expect([name, readBack(saved).get("C")]).toEqual([name, "changed"])
    }
    const variables = [{ name: "C", value: "changed" }]
    for (const name of readableFormatNames) {
      if (name === format) expect(all[name].parse(saved)).toEqual({ variables, faults: [] })
    }
  },
)

test("save leaves a file alone that it did not write, says so, and replaces it with --force", async () => {
  const env = asEnv(await world())
  const cwd = await temporaryFolder()
  const file = join(cwd, ".env")
  for (const foreign of ["A=mine\n", "# mine\n", "\n", '{"A":"1"}']) {
    await writeFile(file, foreign)
    for (const format of ["dotenv", "json", "raw"]) {
      if (format === "json" && foreign === '{"A":"1"}') continue
      expect(await envkeep(["save", ".env", "--format", format], { env, cwd }).ended).toEqual({
        code: 1,
        out: "",
        err:
          "envkeep: .env exists, and envkeep did not write it\n" +
          "hint: add --force to replace it, or save to another file\n",
      })
    }
    expect(await readFile(file, "utf8")).toBe(foreign)
  }
  expect(await envkeep(["save", "--force"], { env, cwd }).ended).toEqual({ code: 0, ...silent })
  expect(await readFile(file, "utf8")).toBe(`${mark}A=1\n`)
})

test("save leaves a file of another program alone that ends in the same line as its own", async () => {
  const env = asEnv(await world())
  const cwd = await temporaryFolder()
  for (const foreign of [
    "all:\n\tmake",
    "A=1\n\nB=2",
    "A = 1",
    "\tA=1",
    "=1",
    '["A"]',
    '{"A":1}',
    '{"A":"1"',
    '"A"',
    "7",
  ]) {
    await writeFile(join(cwd, ".env"), `${foreign}\n\t\n`)
    expect(await envkeep(["save"], { env, cwd }).ended).toMatchObject({ code: 1, out: "" })
    expect(await readFile(join(cwd, ".env"), "utf8")).toBe(`${foreign}\n\t\n`)
  }
})

test.each(["json", "raw"])(
  "save replaces what it wrote in the format %s, whatever the variables are",
  async (format) => {
    const made = await world([])
    const cwd = await temporaryFolder()
    const save = () => envkeep(["save", "file", "--format", format], { env: asEnv(made), cwd }).ended
    const strange = ["1", "__proto__", "a b", "# x", '{"'].map((name) => ({ name, value: ' = "\t{\u2028\r.' }))
    // The first file is one without variables.
    expect(await save()).toEqual({ code: 0, ...silent })
    for (const variables of [strange, [{ name: "A", value: "" }]]) {
      await made.bulk(variables)
      expect(await save()).toEqual({ code: 0, ...silent })
    }
  },
)

test("save takes over an empty file, and one that already holds the same", async () => {
  const env = asEnv(await world())
  const cwd = await temporaryFolder()
  for (const content of ["", "A=1\n"]) {
    await writeFile(join(cwd, ".env"), content)
    expect(await envkeep(["save"], { env, cwd }).ended).toEqual({ code: 0, ...silent })
    expect(await readFile(join(cwd, ".env"), "utf8")).toBe(`${mark}A=1\n`)
  }
})

test("what cannot be saved to is named as it was given, with the reason", async () => {
  const env = asEnv(await world())
  const cwd = await temporaryFolder()
  await mkdir(join(cwd, "folder"))
  await writeFile(join(cwd, "file"), "")
  await symlink("circle", join(cwd, "circle"))
  const inFolder = "hint: name a file in it\n"
  for (const [file, reason] of [
    ["folder", `it is a folder\n${inFolder}`],
    ["folder/", `it is a folder\n${inFolder}`],
    ["no/where", "no such file or folder\n"],
    ["file/below", "part of the path is not a folder\n"],
    ["circle", "its links lead in a circle\n"],
    ["/dev/null", "it is not a regular file\n"],
  ]) {
    for (const force of [[], ["--force"]]) {
      const err = `envkeep: cannot save to ${file}: ${reason}`
      expect(await envkeep(["save", String(file), ...force], { env, cwd }).ended).toEqual({ code: 1, out: "", err })
    }
  }
  expect((await readdir(cwd)).sort()).toEqual(["circle", "file", "folder"])
})

test("any format but dotenv needs the name of a file, so that no .env is replaced", async () => {
  const env = asEnv(await world())
  const cwd = await temporaryFolder()
  expect(await envkeep(["save"], { env, cwd }).ended).toEqual({ code: 0, ...silent })
  for (const format of formats.filter((format) => format !== "dotenv")) {
    for (const command of ["save", "pull"]) {
      const { code, err } = await envkeep([command, "--format", format, "--force"], { env, cwd }).ended
      expect([code, err.split("\n")[0]]).toEqual([
        2,
        `envkeep: --format ${format} needs the name of a file, because .env is for dotenv`,
      ])
    }
  }
  expect(await readFile(join(cwd, ".env"), "utf8")).toBe(`${mark}A=1\n`)
  expect(await envkeep(["save", "--format", "dotenv"], { env, cwd }).ended).toEqual({ code: 0, ...silent })
})

test("save does not follow a link to a file that does not exist, and follows one that does", async () => {
  const env = asEnv(await world())
  const cwd = await temporaryFolder()
  await symlink("elsewhere", join(cwd, ".env"))
  for (const force of [[], ["--force"]]) {
    expect(await envkeep(["save", ...force], { env, cwd }).ended).toEqual({
      code: 1,
      out: "",
      err:
        "envkeep: cannot save to .env: it is a link to a file that does not exist\n" +
        "hint: delete the link, or save to the file that it names\n",
    })
  }
  expect(await readdir(cwd)).toEqual([".env"])
  await writeFile(join(cwd, "elsewhere"), "")
  expect(await envkeep(["save"], { env, cwd }).ended).toEqual({ code: 0, ...silent })
  expect(await readFile(join(cwd, "elsewhere"), "utf8")).toBe(`${mark}A=1\n`)
})

test("save says when git does not ignore the file, and works without git", async () => {
  const env = asEnv(await world())
  const cwd = await temporaryFolder()
  execFileSync("git", ["init", "-q", cwd])
  const warning = "envkeep: git does not ignore .env, so its values could be committed\nhint: add it to .gitignore\n"
  expect(await envkeep(["save"], { env, cwd }).ended).toEqual({ code: 0, out: "", err: warning })
  expect(await envkeep(["save"], { env: { ...env, PATH: "/nonexistent" }, cwd }).ended).toEqual({ code: 0, ...silent })
  await writeFile(join(cwd, ".gitignore"), ".env\n")
  expect(await envkeep(["save"], { env, cwd }).ended).toEqual({ code: 0, ...silent })
})
