import type { Consumer } from "./consumer.ts"

/**
 * The rules of Docker's own reader (`pkg/kvfile` of its command line), reimplemented: a line ends at a line feed, with or
 * without a carriage return before it; space before a name and lines that begin with `#` are skipped; a name with a space
 * fails the whole file; everything after the first `=` is the value.
 */
export const docker: Consumer = {
  name: "Docker's rules for --env-file",
  format: "docker",
  read: (text) => {
    const variables = new Map<string, string>()
    for (const line of text.replace(/^\ufeff/, "").split("\n")) {
      if (Buffer.byteLength(line) > 65_535) throw new Error("token too long")
      const trimmed = line.replace(/\r$/, "").replace(/^[\s\u0085]+/, "")
      if (trimmed === "" || trimmed.startsWith("#")) continue
      const at = trimmed.indexOf("=")
      const name = at === -1 ? trimmed : trimmed.slice(0, at)
      if (name === "") throw new Error("no variable name on line")
      if (/[\s\u0085]/.test(name)) throw new Error("variable contains whitespaces")
      if (at !== -1) variables.set(name, trimmed.slice(at + 1))
    }
    return variables
  },
}
