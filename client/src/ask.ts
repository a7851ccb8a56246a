import { createInterface } from "node:readline"
import { Writable } from "node:stream"
import { CommandError } from "./messages.ts"
import { forTerminal, say } from "./output.ts"
import { textIn } from "./utf8.ts"

/** Standard error is where questions are shown, so that standard output stays data. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true
}

/** False if the user says no. Without a terminal there is no one to ask. */
export async function confirm(question: string, isSure: boolean): Promise<boolean> {
  if (isSure) return true
  if (!canAsk()) throw new CommandError("there is no terminal to ask in, so nothing was changed", "add --yes to do it")
  return /^y(es)?$/i.test((await ask(`${question} [y/N] `)).trim())
}

export function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: true })
  return new Promise((resolve, reject) => {
    lines.on("SIGINT", () => reject(new CommandError("stopped: nothing was changed")))
    // Ctrl-D is no answer.
    lines.on("close", () => resolve(""))
    lines.question(forTerminal(question), resolve)
  }).finally(() => lines.close()) as Promise<string>
}

/** One of several, by its number. */
export async function choose(question: string, choices: readonly string[]): Promise<number> {
  say(choices.map((choice, at) => `${String(at + 1).padStart(4)}  ${choice}\n`).join(""))
  for (;;) {
    const answer = (await ask(`${question} `)).trim()
    if (answer === "") throw new CommandError("nothing was chosen")
    const number = Number(answer)
    if (Number.isInteger(number) && number >= 1 && number <= choices.length) return number - 1
  }
}

/** A paste can arrive in pieces, with no more than this between them. */
const pasteGapMs = 50

/** One line, typed without being shown. It can be edited like the answer to any other question. */
export function askHidden(question: string): Promise<string> {
  const unseen = new Writable({ write: (_piece, _encoding, done) => done() })
  // Before the question: what is typed right after it must not be shown either.
  const lines = createInterface({ input: process.stdin, output: unseen, terminal: true, historySize: 0 })
  say(question)
  return new Promise<string>((resolve, reject) => {
    const typed: string[] = []
    let timer: NodeJS.Timeout | undefined
    const stop = () => reject(new CommandError("stopped: nothing was changed"))
    const answer = () => {
      const [first = "", ...others] = [...typed, lines.line]
      const fault = faultOf(first, others.join(""))
      if (fault === undefined) resolve(first)
      else reject(new CommandError(`${fault}: nothing was changed`, fileHint))
    }
    lines.on("SIGINT", stop)
    // Ctrl-D is no answer.
    lines.on("close", () => (typed.length === 0 ? stop() : answer()))
    lines.on("line", (line) => {
      typed.push(line)
      clearTimeout(timer)
      timer = setTimeout(answer, pasteGapMs)
    })
  }).finally(() => {
    lines.close()
    say("\n")
  })
}

const fileHint = "read it from a file: envkeep set NAME --yes < file"

/** A value that is not what was meant would be saved unseen. */
function faultOf(line: string, rest: string): string | undefined {
  if (rest !== "") return "only one line can be typed"
  return /\p{Cc}/u.test(line) ? "a control character cannot be typed" : undefined
}

/** All of standard input, as text. */
export async function readStdin(): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of process.stdin) pieces.push(piece as Buffer)
  return textIn("standard input", Buffer.concat(pieces))
}
