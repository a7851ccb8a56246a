import { spawn } from "node:child_process"
import { promises as fs, rmSync } from "node:fs"
import { constants, tmpdir } from "node:os"
import { join } from "node:path"
import { formats } from "@envkeep/formats"
import { canAsk, confirm } from "../ask.ts"
import { carryOut, placeOf } from "../changes.ts"
import { type Command, changeOptions } from "../command.ts"
import { type Environment, hidden, readEnvironment } from "../environment.ts"
import { parseLocal, writeLocalFile } from "../local-file.ts"
import { CommandError, describeError, printMessage } from "../messages.ts"
import { findTarget, type Target } from "../target.ts"

export const edit: Command = {
  name: "edit",
  group: "values",
  usage: "",
  summary: "edit the environment in your editor",
  details: [
    "Opens $VISUAL or $EDITOR with the variables as a .env file that only you can read, and deletes it afterwards. Shows what changes and asks. If others have changed the same in between, nothing is saved, it says who, and your text is kept.",
  ],
  options: changeOptions,
  examples: [{ line: "EDITOR='code --wait' envkeep edit -e staging", what: "in a window" }],
  async execute(given) {
    const editor = process.env["VISUAL"] || process.env["EDITOR"] || (process.platform === "win32" ? "notepad" : "vi")
    const target = await findTarget(given)
    const environment = await readEnvironment(target)
    const text = textOf(target, environment)
    const folder = await fs.mkdtemp(join(tmpdir(), "envkeep-"))
    const { whileEditing, forget } = deleteOnSignals(folder)
    const file = join(folder, "variables.env")
    let isKept = false
    try {
      await writeLocalFile(file, text)
      const openEditor = () => whileEditing(runEditor(editor, file))
      const plan = await editUntilReadable({ openEditor, file, before: text })
      if (plan === undefined) {
        printMessage("nothing was changed")
        return 0
      }
      const names = new Set(plan.map(({ name }) => name))
      const remove = environment.items.filter(({ name }) => !names.has(name)).map(({ name }) => name)
      // What was not edited stays as it is, even if others have changed it in between.
      isKept = true
      const code = await carryOut(target, environment, { set: plan, remove }, given)
      isKept = false
      return code
    } finally {
      forget()
      if (isKept) printMessage(`your text is kept in ${file}`, "delete it when you no longer need it")
      else await fs.rm(folder, { recursive: true, force: true })
    }
  },
}

function textOf(target: Target, { items, valuesHidden, revision }: Environment): string {
  if (valuesHidden) throw hidden()
  const seen = items.flatMap(({ name, value }) => (value === null ? [] : [{ name, value }]))
  if (seen.length < items.length)
    throw new CommandError("a value is damaged on the server", "set it again, or unset it")
  const printed = formats.dotenv.print(seen)
  if ("refused" in printed) {
    const names = printed.refused.map(({ name, reason }) => `${JSON.stringify(name)} (${reason})`)
    throw new CommandError(`a .env file cannot hold ${names.join(", ")}`)
  }
  return `# ${placeOf(target).replaceAll(/[\r\n]/g, " ")}, revision ${revision}\n${printed.text}`
}

interface Editing {
  openEditor: () => Promise<void>
  file: string
  before: string
}

/** Undefined if the text is as it was. */
async function editUntilReadable({ openEditor, file, before }: Editing) {
  for (;;) {
    await openEditor()
    const after = await fs.readFile(file)
    if (after.equals(Buffer.from(before))) return undefined
    try {
      return parseLocal("the text", after)
    } catch (error) {
      if (!canAsk()) throw error
      printMessage(describeError(error))
      if (!(await confirm("Edit it again?", false))) return undefined
    }
  }
}

/** Through a shell, because an editor may be given with options. */
function runEditor(editor: string, file: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(`${editor} "${file}"`, { shell: true, stdio: "inherit" })
    child.once("error", reject)
    child.once("exit", (code) => {
      if (code === 0) resolve()
      else reject(new CommandError(`the editor ended with exit code ${code ?? "of a signal"}: nothing was changed`))
    })
  })
}

/** A terminal sends these to the editor too, for which they may mean something else: in Emacs, Ctrl-G is one of them. */
const fromKeys: NodeJS.Signals[] = ["SIGINT", "SIGQUIT"]

/** The text has secrets in it: it must not stay behind when the terminal is closed. */
function deleteOnSignals(folder: string) {
  const signals: NodeJS.Signals[] = ["SIGTERM", "SIGHUP", ...fromKeys]
  let isEditing = false
  const stop = (signal: NodeJS.Signals) => {
    if (isEditing && fromKeys.includes(signal)) return
    rmSync(folder, { recursive: true, force: true })
    process.exit(128 + constants.signals[signal])
  }
  for (const signal of signals) process.on(signal, stop)
  return {
    whileEditing(editor: Promise<void>): Promise<void> {
      isEditing = true
      return editor.finally(() => {
        isEditing = false
      })
    },
    forget(): void {
      for (const signal of signals) process.off(signal, stop)
    },
  }
}
