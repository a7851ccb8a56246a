import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/**
 * One file of declarations from the many that the compiler writes: what `entry` exports, and what that speaks of. Enough
 * for our own way of writing: names are exported by name, none is renamed, none means two things.
 */
export function bundleTypes(folder: string, entry: string): string {
  const declarations = new Map(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".d.ts"))
      .flatMap((file) => declarationsIn(readFileSync(join(folder, file), "utf8"))),
  )
  const exported = namesExported(readFileSync(join(folder, entry), "utf8"))
  const wanted = new Set(exported)
  // The set grows while it is walked: each declaration brings in those it mentions.
  for (const name of wanted) {
    const text = declarations.get(name)
    if (text === undefined) throw new Error(`nothing declares ${name}`)
    for (const [word] of bare(text).matchAll(/\b[A-Za-z]\w*\b/g)) if (declarations.has(word)) wanted.add(word)
  }
  const texts = Array.from(wanted, (name) => declarations.get(name))
  return `${texts.join("\n")}\nexport { ${exported.join(", ")} }\n`
}

/** A declaration is its comment and all lines up to one that ends it at the left margin. */
function declarationsIn(text: string): [string, string][] {
  const whole =
    /((?:\/\*\*(?:[^*]|\*(?!\/))*\*\/\n)?)export ((?:declare (?:const|function|class)|interface|type) (\w+)(?:[^\n]*;\n|[\s\S]*?\n\}[^\n]*\n))/g
  return Array.from(text.matchAll(whole), ([, comment = "", body = "", name = ""]) => [name, comment + body])
}

function namesExported(entry: string): string[] {
  const lists = Array.from(entry.matchAll(/^export (?:type )?\{([^}]*)\}/gm), ([, list = ""]) => list.split(","))
  const names = lists.flat().map((name) => name.replace(/^\s*(?:type )?/, "").trim())
  return names.filter((name) => name !== "").sort()
}

/** Without comments and the words in quotes. */
function bare(text: string): string {
  return text.replace(/\/\*\*(?:[^*]|\*(?!\/))*\*\/|"[^"\n]*"/g, "")
}
