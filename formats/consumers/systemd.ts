import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { installSystemPackages } from "@envkeep/testing/machine/packages.ts"
import { type Consumer, withFile } from "./consumer.ts"

const generator = "/usr/lib/systemd/user-environment-generators/30-systemd-environment-d-generator"

/**
 * systemd's own parser, where its package can be installed. EnvironmentFile= itself needs a running manager. This program
 * of the same package reads environment.d with the same parser and then expands `$`, which doubling each one undoes.
 */
export function systemdParser(): Consumer[] {
  if (process.platform !== "linux" || (!existsSync(generator) && !installSystemPackages(["systemd"]))) return []
  return [{ name: "systemd's parser", format: "systemd", read: readByGenerator }]
}

function readByGenerator(text: string): Map<string, string> {
  return withFile("", (_, folder) => {
    mkdirSync(join(folder, "environment.d"))
    writeFileSync(join(folder, "environment.d/test.conf"), text.replaceAll("$", "$$$$"))
    const { status, stdout, stderr } = spawnSync(generator, { env: { HOME: folder, XDG_CONFIG_HOME: folder } })
    const complaints = stderr.toString("utf8").split("\n").filter(Boolean)
    const variables = new Map<string, string>()
    for (const complaint of complaints) {
      // environment.d does not accept an empty value, but its complaint shows that the parser read the name.
      const name = /invalid syntax \(around "(\w+)"\), ignoring/.exec(complaint)?.[1]
      if (name === undefined) throw new Error(complaint)
      variables.set(name, "")
    }
    if (status !== 0) throw new Error(`systemd's parser ended with ${status}`)
    for (const [, name = "", printed = ""] of stdout.toString("utf8").matchAll(/(\w+)=([^\n]*)\n/g)) {
      variables.set(name, printed.startsWith('"') ? unescapeC(printed.slice(1, -1)) : printed)
    }
    return variables
  })
}

/** The generator prints values with C's escapes. */
function unescapeC(printed: string): string {
  const named: Record<string, string> = { n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", f: "\f", v: "\v" }
  return printed.replace(/\\([0-7]{3}|.)/g, (_, code: string) =>
    code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8)) : (named[code] ?? code),
  )
}

/** The grammar of EnvironmentFile= in systemd.exec(5), as far as a file of comments and double-quoted values needs it. */
export const systemdGrammar: Consumer = {
  name: "systemd's documented grammar",
  format: "systemd",
  read: (text) => {
    const variables = new Map<string, string>()
    const line = /(?:[#;].*\n)*([A-Za-z_][A-Za-z0-9_]*)="((?:[^"\\]|\\[\s\S])*)"\n/y
    while (line.lastIndex < text.length) {
      const at = line.lastIndex
      const [, name = "", inside = ""] = line.exec(text) ?? []
      if (name === "") throw new Error(`not understood: ${text.slice(at, at + 80)}`)
      variables.set(
        name,
        inside.replace(/\\([\s\S])/g, (pair, next) => ('"\\`$'.includes(next) ? next : pair)),
      )
    }
    return variables
  },
}
