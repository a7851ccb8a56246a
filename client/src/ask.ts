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
export async function askHidden(question: string): Promise<string> {
  process.stderr.write(question)
  const { stdin } = process
  stdin.setRawMode(true)
  stdin.setEncoding("utf8")
  let typed = ""
  try {
    for await (const piece of stdin) {
      for (const character of String(piece)) {
        if (character === "\r" || character === "\n" || character === "\u0004") return typed
        if (character === "\u0003") throw new CommandError("stopped: nothing was changed")
        typed = character === "\u007f" || character === "\b" ? typed.slice(0, -1) : typed + character
      }
    }
    return typed
  } finally {
    stdin.setRawMode(false)
    process.stderr.write("\n")
  }
}

/** All of standard input, as text. */
export async function readStdin(): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of process.stdin) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString("utf8")
}
