import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { recordLines } from "@envkeep/testing/leaks.ts"
import { expect, test } from "vitest"
import { parse } from "yaml"
import { hostile, pathOf, read, run, temporaryFolder, world } from "./world.ts"

/** Runs the action as the runner does: inputs in INPUT_*, and a file for the variables. */
async function act(inputs: Record<string, string>) {
  const folder = await temporaryFolder()
  const envFile = join(folder, "github-env")
  writeFileSync(envFile, "BEFORE=1\n")
  const env = Object.fromEntries(Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]))
  const { main } = parse(await read("github-action/action.yml")).runs
  const ended = await run([process.execPath, pathOf(`github-action/${main}`)], {
    env: { ...env, GITHUB_ENV: envFile },
    cwd: folder,
  })
  const masked = Array.from(ended.out.matchAll(/^::add-mask::(.*)$/gm), ([, line = ""]) => unescaped(line))
  // What is left in the log after the runner has taken the masks.
  recordLines("the log of the action")(`${ended.out.replaceAll(/^::add-mask::.*$/gm, "")}\n`)
  return { ...ended, masked, folder, set: parsedEnv(readFileSync(envFile, "utf8")) }
}

const unescaped = (line: string) => line.replaceAll("%0A", "\n").replaceAll("%0D", "\r").replaceAll("%25", "%")

/** The file as the runner reads it: `NAME=value`, or `NAME<<delimiter`, lines and the delimiter on a line of its own. */
function parsedEnv(text: string): Record<string, string> {
  const found: Record<string, string> = {}
  const lines = text.split("\n")
  for (let at = 0; at < lines.length - 1; at++) {
    const line = lines[at] ?? ""
    const [, name = "", delimiter] = /^([^=<]+)<<(.+)$/.exec(line) ?? []
    if (delimiter === undefined) {
      found[line.slice(0, line.indexOf("="))] = line.slice(line.indexOf("=") + 1)
      continue
    }
    const end = lines.indexOf(delimiter, at + 1)
    if (end === -1) throw new Error(`no end of ${name}`)
    found[name] = lines.slice(at + 1, end).join("\n")
    at = end
  }
  return found
}

test("later steps get every value to the byte, and each of its lines is masked before", async () => {
  const { url, key } = await world()
  const { code, err, set, masked, out } = await act({ url: `${url}/`, key })
  expect([code, err]).toEqual([0, ""])
  expect(set).toEqual({ BEFORE: "1", ...hostile })
  const lines = Object.values(hostile).flatMap((value) => value.split("\n"))
  expect(masked).toEqual(expect.arrayContaining([key, ...lines.filter((line) => line.trim() !== "")]))
  expect(out).toContain(`Envkeep: ${Object.keys(hostile).length} variables\n`)
})

test("some of them, or a file that only its owner can read", async () => {
  const { url, key } = await world()
  expect((await act({ url, key, only: "PLAIN, PEM" })).set).toEqual({
    BEFORE: "1",
    PLAIN: hostile.PLAIN,
    PEM: hostile.PEM,
  })
  const { code, folder, set, masked } = await act({ url, key, file: "app.json", format: "json" })
  expect([code, set]).toEqual([0, { BEFORE: "1" }])
  expect(masked).toContain(hostile.PLAIN)
  expect(JSON.parse(readFileSync(join(folder, "app.json"), "utf8"))).toEqual(hostile)
  expect(statSync(join(folder, "app.json")).mode & 0o777).toBe(0o600)
})

test("it fails with one sentence and sets nothing", async () => {
  const made = await world({ GITHUB_TOKEN_OF_MINE: "reserved-name", PLAIN: "plain-value-2" })
  const { url, key } = made
  const refusal = async (inputs: Record<string, string>) => {
    const { code, out, set } = await act(inputs)
    expect([code, set]).toEqual([1, { BEFORE: "1" }])
    return /^::error title=Envkeep::(.*)$/m.exec(out)?.[1]
  }
  expect(await refusal({ url, key })).toBe(
    "GitHub cannot set GITHUB_TOKEN_OF_MINE: leave it out with except, or write a file",
  )
  expect(await refusal({ url, key, only: "NOT_THERE" })).toBe("the environment has no NOT_THERE")
  expect(await refusal({ url, key: "" })).toBe("key is empty: is the secret set, and may this workflow read it?")
  expect(await refusal({ url: "http://127.0.0.1:9", key })).toBe("http://127.0.0.1:9 cannot be reached")
  await made.ann.delete(`/api-key/${made.keyId}`)
  expect(await refusal({ url, key })).toBe(`${url} refuses the API key`)
})
