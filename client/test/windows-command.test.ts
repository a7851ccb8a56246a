import { mkdir, writeFile } from "node:fs/promises"
import { delimiter, join } from "node:path"
import { expect, test, vi } from "vitest"
import { quoteForBatch, toSpawn } from "../src/windows-command.ts"
import { temporaryFolder } from "./world.ts"

test("on Windows a batch file on the PATH runs through cmd.exe, and a program of the same name wins", async () => {
  const folder = await temporaryFolder()
  const [first, second] = [join(folder, "first"), join(folder, "second")]
  await Promise.all([first, second].map((path) => mkdir(path)))
  await Promise.all(["npm", "npm.cmd", "tool.exe", "tool.cmd"].map((name) => writeFile(join(second, name), "")))
  vi.stubEnv("PATH", [first, second].join(delimiter))
  vi.stubEnv("COMSPEC", String.raw`C:\Windows\cmd.exe`)
  const script = join(second, "npm.cmd")
  expect(toSpawn("npm", ["run", "a & b"], "win32")).toEqual({
    file: String.raw`C:\Windows\cmd.exe`,
    words: ["/e:ON", "/v:OFF", "/d", "/c", `""${script}" run "a & b""`],
    isVerbatim: true,
  })
  expect(toSpawn(script, [], "win32")).toMatchObject({ words: expect.arrayContaining([`""${script}""`]) })
  const asItIs = (file: string) => ({ file, words: ["a & b"], isVerbatim: false })
  for (const program of ["tool", "tool.exe", "no-such-command", 'npm"&calc&".cmd']) {
    expect(toSpawn(program, ["a & b"], "win32")).toEqual(asItIs(program))
  }
  expect(toSpawn("npm", ["a & b"], "linux")).toEqual(asItIs("npm"))
  vi.unstubAllEnvs()
})

test.each([
  ["run", "run"],
  ["--port=1", '"--port=1"'],
  ["C:\\app\\x.js", "C:\\app\\x.js"],
  ["", '""'],
  ["a b", '"a b"'],
  ["a&calc", '"a&calc"'],
  ["a|b>c<d^e!f", '"a|b>c<d^e!f"'],
  ["%PATH%", '"%%cd:~,%PATH%%cd:~,%"'],
  ['"&calc&"', '"""&calc&"""'],
  ['\\"', '"\\\\"""'],
  ["ends with \\", '"ends with \\\\"'],
  ["\\", '"\\\\"'],
  ["größe", "größe"],
])("the argument %j of a batch file is written as %s", (argument, written) => {
  expect(quoteForBatch(argument)).toBe(written)
})

test("an argument that a batch file cannot take is refused", () => {
  for (const argument of ["a\nb", "a\r"]) {
    expect(() => quoteForBatch(argument)).toThrow("an argument of a batch file cannot have a line break")
  }
})
