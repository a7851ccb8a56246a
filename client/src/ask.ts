import { createInterface } from "node:readline"
import { CommandError } from "./messages.ts"

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
    lines.question(question, resolve)
  }).finally(() => lines.close()) as Promise<string>
}

/** One of several, by its number. */
export async function choose(question: string, choices: readonly string[]): Promise<number> {
  process.stderr.write(choices.map((choice, at) => `${String(at + 1).padStart(4)}  ${choice}\n`).join(""))
  for (;;) {
    const answer = (await ask(`${question} `)).trim()
    if (answer === "") throw new CommandError("nothing was chosen")
    const number = Number(answer)
    if (Number.isInteger(number) && number >= 1 && number <= choices.length) return number - 1
  }
}

/** Typed without being shown. */
export function askHidden(question: string): Promise<string> {
  const { stdin } = process
  // Before the question: what is typed right after it must not be shown either.
  stdin.setRawMode(true)
  stdin.setEncoding("utf8")
  process.stderr.write(question)
  let typed = ""
  return new Promise<string>((resolve, reject) => {
    stdin.on("data", read)
    stdin.once("end", () => resolve(typed))
    function read(piece: string): void {
      for (const character of piece) {
        if (character === "\u0003") reject(new CommandError("stopped: nothing was changed"))
        else if (["\r", "\n", "\u0004"].includes(character)) resolve(typed)
        else typed = ["\u007f", "\b"].includes(character) ? typed.slice(0, -1) : typed + character
      }
    }
  }).finally(() => {
    stdin.removeAllListeners("data")
    stdin.pause()
    stdin.setRawMode(false)
    process.stderr.write("\n")
  })
}

/** All of standard input, as text. */
export async function readStdin(): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of process.stdin) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString("utf8")
}
