import { readText, type ToRead } from "./read-text.ts"

// Reads one text beside the page, which stays usable however long that takes.

// The YAML parser makes an error for each of a hundred thousand mistakes, and their stack traces would take seconds.
Object.assign(Error, { stackTraceLimit: 0 })

self.addEventListener("message", ({ data }: MessageEvent<ToRead>) => {
  // An error in a promise would not reach the page.
  readText(data).then((read) => self.postMessage(read), reportError)
})
