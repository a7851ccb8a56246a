import { existsSync } from "node:fs"
import { type Command, environmentOptions, jsonOption } from "../command.ts"
import { readDescribed } from "../described.ts"
import { allOf, readEnvironment } from "../environment.ts"
import { CommandError, printMessage } from "../messages.ts"
import { printable, writeJson, writeOut } from "../output.ts"
import { scanFolder, type Use } from "../scan-sources.ts"
import { findTarget } from "../target.ts"

export const scan: Command = {
  name: "scan",
  group: "tools",
  usage: "[folder]",
  summary: "compare the names that programs read with the environment",
  details: [
    "Finds the names that JavaScript, TypeScript, Python, Ruby, Go, PHP, Java, Kotlin, Rust, C, C# and compose files and Dockerfiles read, and lists what the environment lacks, what nothing reads, and what has no description. It looks at files that git does not ignore, of up to 1 MiB, but not in folders such as node_modules, vendor, dist and build. A name that a program puts together is not found.",
    "The exit code is 1 if a name that is read is missing. A token with the scope names is enough. Names such as PATH, HOME, CI and NODE_ENV are left out.",
  ],
  options: [...environmentOptions, jsonOption],
  words: { min: 0, max: 1, tooMany: "scan takes one folder" },
  examples: [{ line: "ENVKEEP_TOKEN=... envkeep scan . -c app -e production", what: "in a pipeline" }],
  async execute(given) {
    const [folder = "."] = given.words
    if (!existsSync(folder)) throw new CommandError(`there is no folder ${folder}`)
    const target = await findTarget(given)
    const names = new Set(allOf(await readEnvironment(target)).keys())
    const described = new Set(
      (await readDescribed(target)).filter((one) => one.description !== "").map(({ name }) => name),
    )
    const used = byName(scanFolder(folder))
    const missing = [...used].filter(([name]) => !names.has(name))
    const unread = [...names].filter((name) => !used.has(name))
    const undescribed = [...names].filter((name) => !described.has(name))
    if (given.has("json")) {
      const places = missing.map(([name, uses]) => ({ name, uses: uses.map(({ file, line }) => ({ file, line })) }))
      await writeJson({ missing: places, unread, undescribed })
    } else {
      await writeOut(
        section(
          "Missing in the environment",
          missing.map(([name, uses]) => `${printable(name)}  ${placesOf(uses)}`),
        ) +
          section("Read by nothing here", unread.map(printable)) +
          section("Without a description", undescribed.map(printable)),
      )
      if (missing.length === 0) printMessage(`the environment has all ${used.size} names that are read`)
    }
    return missing.length === 0 ? 0 : 1
  },
}

/** Node 20 has no `Map.groupBy`. */
function byName(uses: readonly Use[]): Map<string, Use[]> {
  const grouped = new Map<string, Use[]>()
  for (const use of uses) grouped.set(use.name, [...(grouped.get(use.name) ?? []), use])
  return grouped
}

const shownPlaces = 3

function placesOf(uses: readonly Use[]): string {
  const shown = uses.slice(0, shownPlaces).map(({ file, line }) => `${printable(file)}:${line}`)
  const more = uses.length - shown.length
  return shown.join(", ") + (more > 0 ? ` and ${more} more` : "")
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : `${title}:\n${lines.map((line) => `  ${line}\n`).join("")}`
}
