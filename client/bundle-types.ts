import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/**
 * Bundles the many declaration files of the compiler into one: what `entry` exports, and the types those exports mention.
 * It handles the style of this repository only: everything is exported by name, and no name is declared twice.
 */
export function bundleTypes(folder: string, entry: string): string {
  const declarations = new Map(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".d.ts"))
      .flatMap((file) => declarationsIn(readFileSync(join(folder, file), "utf8"))),
  )
  const exported = exportsOf(readFileSync(join(folder, entry), "utf8"))
  const wanted = new Set(exported.map(({ name }) => name))
  // The set grows during the loop: each declaration adds the ones it mentions.
  for (const name of wanted) {
    const text = declarations.get(name)
    if (text === undefined) throw new Error(`nothing declares ${name}`)
    for (const word of mentionedIn(text)) if (declarations.has(word)) wanted.add(word)
  }
  const texts = Array.from(wanted, (name) => declarations.get(name))
  const list = exported.map(({ name, alias }) => (name === alias ? name : `${name} as ${alias}`))
  return `${texts.join("\n")}\nexport { ${list.join(", ")} }\n`
}

/** A declaration is its comment and all lines up to the one that closes it at the left margin. */
function declarationsIn(text: string): [string, string][] {
  const whole =
    /((?:\/\*\*(?:[^*]|\*(?!\/))*\*\/\n)?)export ((?:declare (?:const|function|class)|interface|type) (\w+)(?:[^\n]*;\n|[\s\S]*?\n\}[^\n]*\n))/g
  return Array.from(text.matchAll(whole), ([, comment = "", body = "", name = ""]) => [name, comment + body])
}

/** The exports of a file: the name of each declaration, and the name under which it is exported. */
function exportsOf(entry: string): { name: string; alias: string }[] {
  const lists = Array.from(entry.matchAll(/^export (?:type )?\{([^}]*)\}/gm), ([, list = ""]) => list)
  const pairs = lists.flatMap((list) => [...list.matchAll(/(?:type )?(\w+)(?: as (\w+))?\s*(?:,|$)/g)])
  return pairs.map(([, name = "", alias = name]) => ({ name, alias })).sort((a, b) => (a.alias < b.alias ? -1 : 1))
}

/** The words of a declaration that can name another one: not in comments or quotes, and not the names of its members. */
function mentionedIn(text: string): string[] {
  const bare = text.replace(/\/\*\*(?:[^*]|\*(?!\/))*\*\/|"[^"\n]*"/g, "")
  return Array.from(bare.matchAll(/\b[A-Za-z]\w*\b(?!\??[(:])/g), ([word]) => word)
}
