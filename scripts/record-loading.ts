import { appendFileSync } from "node:fs"
import { registerHooks } from "node:module"

// A test imports this before the server: it writes down every module that is loaded, and lets the first try of some fail.

const record = process.env["RECORD_LOADING"] ?? ""
const failing = new Set((process.env["FAIL_ONCE"] ?? "").split(","))

registerHooks({
  load(url, context, next) {
    for (const part of failing) {
      if (part === "" || !url.includes(part)) continue
      failing.delete(part)
      throw new Error(`${part} cannot be loaded`)
    }
    appendFileSync(record, `${url}\n`)
    return next(url, context)
  },
})
