import { styleText } from "node:util"
import type { Config } from "../config.ts"
import { minuteMs } from "../durations.ts"
import type { LogStream } from "../http/log.ts"

/** What our log lines hold, as pino writes them. */
interface LogLine {
  level: number
  time: number
  msg?: string
  err?: { type?: string; message?: string; stack?: string }
  applied?: string[]
  job?: string
  method?: string
  route?: string
  status?: number
  ms?: number
}

const levels = { info: 30, warn: 40, error: 50 }
/** During an outage the same line would come with every request. */
const repeatAfterMs = minuteMs

/** The log for a person at a terminal: one line for each event that matters, made from the lines that pino writes. */
export function textLog(out: LogStream, { logLevel }: Pick<Config, "logLevel">): LogStream {
  // Those who ask for more get the requests, and the stacks of errors.
  const isVerbose = logLevel === "debug" || logLevel === "trace"
  let lastText = ""
  let lastTime = 0
  return {
    write(json) {
      const line: LogLine = JSON.parse(json)
      if (!isVerbose && isNoise(line)) return
      const text = textOf(line, isVerbose)
      if (text === lastText && line.time - lastTime < repeatAfterMs) return
      lastText = text
      lastTime = line.time
      out.write(`${styleText("dim", new Date(line.time).toLocaleTimeString("en-GB"))} ${text}\n`)
    },
  }
}

/** The greeting has the address already, and what made a request fail has a line of its own. */
function isNoise({ level, msg = "" }: LogLine): boolean {
  return level < levels.info || msg === "request" || msg.startsWith("Server listening at ")
}

function textOf(line: LogLine, isVerbose: boolean): string {
  const { err, applied, job } = line
  const parts = [
    line.msg === "request" ? `${line.method} ${line.route} ${line.status} in ${line.ms} ms` : line.msg,
    applied?.join(", "),
    job,
    err && [err.type, err.message].filter(Boolean).join(": "),
  ]
  const text = parts.filter(Boolean).join(": ")
  const stack = isVerbose && err?.stack ? `\n${err.stack}` : ""
  return `${labelOf(line)}${text}${stack}`
}

function labelOf({ level }: LogLine): string {
  if (level >= levels.error) return `${styleText("red", "error:")} `
  return level >= levels.warn ? `${styleText("yellow", "warning:")} ` : ""
}
