import { once } from "node:events"
import { readdir, readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { eventually } from "@envkeep/testing/eventually.ts"
import { expect, test } from "vitest"
import { envkeep } from "./command.ts"
import { loginWorld } from "./login-world.ts"
import { temporaryFolder } from "./world.ts"

const variables = [
  { name: "A", value: "first value" },
  { name: "B", value: "second value" },
]

const untilGo = "touch opened; while [ ! -e go ]; do sleep 0.05; done"

/** A program in place of the editor, with a folder for temporary files of its own. */
async function editing(script: string) {
  const made = await loginWorld(variables)
  const folder = await temporaryFolder()
  const editor = join(made.cwd, "editor with options.sh")
  await writeFile(editor, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  const editorEnv = { EDITOR: `'${editor}' --wait`, TMPDIR: folder }
  const edit = (...args: string[]) => made.run(["edit", ...args], { env: editorEnv })
  return { ...made, folder, edit, editorEnv }
}

test("edit saves what was changed in the editor, from a file that only its owner reads", async () => {
  const { edit, run, folder, cwd } = await editing(
    'ls -ld "$(dirname "$2")" "$2" | cut -c1-10 > modes; sed -i "s/^A=.*/A=edited/; /^B=/d" "$2"; echo C=new >> "$2"',
  )
  expect(await edit()).toMatchObject({ code: 1, err: expect.stringContaining("your text is kept in ") })
  const [kept = ""] = await readdir(folder)
  expect(await readFile(join(folder, kept, "variables.env"), "utf8")).toMatch(
    /^# app\/production, revision 2\nA=edited\nC=new\n$/,
  )
  expect((await stat(join(folder, kept))).mode & 0o777).toBe(0o700)
  expect(await edit("--yes")).toEqual({
    code: 0,
    out: "",
    err: "~ A=******** -> ********\n- B=********\n+ C=********\nenvkeep: saved 3 changes to app/production, now at revision 3\n",
  })
  expect(await readFile(join(cwd, "modes"), "utf8")).toBe("drwx------\n-rw-------\n")
  expect(await readdir(folder)).toEqual([kept])
  expect((await run(["print"])).out).toBe("A=edited\nC=new\n")
})

test("edit without a change, with a failing editor or a broken text saves nothing and leaves nothing", async () => {
  const same = await editing("true")
  expect(await same.edit("--yes")).toEqual({ code: 0, out: "", err: "envkeep: nothing was changed\n" })
  const failing = await editing("exit 3")
  expect((await failing.edit("--yes")).err).toBe("envkeep: the editor ended with exit code 3: nothing was changed\n")
  const broken = await editing(`echo 'X="open' >> "$2"`)
  expect((await broken.edit("--yes")).err).toMatch(/^envkeep: the text, line 4: /)
  const otherEncoding = await editing(`printf 'X=M\\374ller\\n' >> "$2"`)
  expect((await otherEncoding.edit("--yes")).err).toMatch(/^envkeep: the text is not in UTF-8\n/)
  for (const { folder } of [same, failing, broken, otherEncoding]) expect(await readdir(folder)).toEqual([])
})

test("when others changed the same in between, edit says who and keeps the text", async () => {
  const { edit, ann, environment, folder, cwd, bulk } = await editing(`sed -i "s/^A=.*/A=mine/" "$2"; ${untilGo}`)
  const ended = edit("--yes")
  await expect.poll(() => readdir(cwd), eventually).toContain("opened")
  await bulk([{ name: "A", value: "theirs" }])
  await writeFile(join(cwd, "go"), "")
  const { code, err } = await ended
  const { username } = (await ann.get<{ username: string }>("/users/me")).body.data
  expect(code).toBe(1)
  expect(err).toContain(`A: changed by ${username}, `)
  const [kept = ""] = await readdir(folder)
  expect(await readFile(join(folder, kept, "variables.env"), "utf8")).toContain("A=mine\n")
  expect((await ann.itemsOf(environment)).map(({ value }) => value)).toEqual(["theirs"])
})

test("when others deleted the same in between, edit names it and keeps the text", async () => {
  const { edit, ann, environment, folder, cwd, bulk } = await editing(`sed -i "s/^A=.*/A=mine/" "$2"; ${untilGo}`)
  const edited = edit("--yes")
  await expect.poll(() => readdir(cwd), eventually).toContain("opened")
  await bulk([{ name: "B", value: "second value" }])
  await writeFile(join(cwd, "go"), "")
  const { code, err } = await edited
  expect(code).toBe(1)
  expect(err).toContain(
    'envkeep: deleted in between: "A". Nothing was saved\nhint: envkeep history shows who deleted it\n',
  )
  expect(await readdir(folder)).toHaveLength(1)
  expect((await ann.itemsOf(environment)).map(({ name }) => name)).toEqual(["B"])
})

test("keys that send a signal are the editor's while it is open", async () => {
  const { cwd, env, editorEnv, run } = await editing(`${untilGo}; sed -i "s/^A=.*/A=edited/" "$2"`)
  const { child, ended } = envkeep(["edit", "--yes"], { cwd, env: { ...env, ...editorEnv } })
  await expect.poll(() => readdir(cwd), eventually).toContain("opened")
  child.kill("SIGINT")
  child.kill("SIGQUIT")
  await writeFile(join(cwd, "go"), "")
  expect(await ended).toMatchObject({ code: 0, err: expect.stringContaining("saved 1 change") })
  expect((await run(["get", "A"])).out).toBe("edited")
})

test("a signal while the editor is open removes the file", async () => {
  const { folder, cwd, env, editorEnv } = await editing(untilGo)
  const { child, ended } = envkeep(["edit"], { cwd, env: { ...env, ...editorEnv } })
  await expect.poll(() => readdir(cwd), eventually).toContain("opened")
  expect(await readdir(folder)).toHaveLength(1)
  child.kill("SIGTERM")
  await once(child, "exit")
  await writeFile(join(cwd, "go"), "")
  expect((await ended).code).toBe(143)
  expect(await readdir(folder)).toEqual([])
})
