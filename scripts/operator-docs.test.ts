import { globSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { commands } from "@envkeep/server/cli/commands.ts"
import { settingNames } from "@envkeep/server/config.ts"
import { exitCodes } from "@envkeep/server/start-error.ts"
import { clientSettings } from "@envkeep/server/unknown-settings.ts"
import { expect, test } from "vitest"

// What an operator copies from a document must exist.

const root = join(import.meta.dirname, "..")
const read = (path: string) => readFileSync(join(root, path), "utf8")
const guides = ["README.md", "CONTRIBUTING.md", "docs/install.md", "docs/self-hosting.md", "docs/scaling.md"]

test.each(guides)("%s: every command of npm is a script", (path) => {
  const { scripts } = JSON.parse(read("package.json"))
  const named = Array.from(read(path).matchAll(/\bnpm run (?:--silent )?([a-z][\w:-]*)/g), ([, name]) => name)
  expect(named).not.toEqual([])
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named))
})

test.each(guides)("%s: every setting is one of the server or of its client", (path) => {
  const ofTests = ["ENVKEEP_TEST_SLOWNESS", "ENVKEEP_DISK_FAULTS"]
  const named = read(path).match(/\bENVKEEP_(?!OIDC_)[A-Z_]+/g) ?? []
  expect([...settingNames, ...clientSettings, ...ofTests]).toEqual(expect.arrayContaining(named))
})

test("the install guide's commands in a container are commands of the server", () => {
  const guide = read("docs/install.md")
  const inContainer = guide.matchAll(/(?:main\.js|docker compose .*run .* envkeep(?:-1)?) ([a-z][a-z-]+)/g)
  const named = Array.from(inContainer, ([, name]) => name)
  const known = commands.map(({ name }) => name)
  expect(known).toEqual(expect.arrayContaining(named))
  const [, list = ""] = /as arguments of the image: (.*?)\. `exec`/s.exec(guide) ?? []
  expect(list.match(/[a-z][a-z-]+(?=`)/g)?.toSorted()).toEqual(known.toSorted())
})

test("the guides name exit codes that exist, and list all of them", () => {
  const all = [0, ...Object.values(exitCodes)]
  const table = /^\| Exit code \| Means \|\n.*\n((?:\|.*\n)+)/m
  const rows = (text: string) => Array.from(text.matchAll(/^\| (\d+) \|/gm), ([, code]) => Number(code))
  const [, health = ""] = read("docs/self-hosting.md").split("\n## Health and stopping\n")
  expect(rows(table.exec(health)?.[1] ?? "")).toEqual(all)
  for (const path of guides) {
    const mentions = read(path).matchAll(/\bexit(?:s|ed)?(?: codes?)?(?: with)?(?: code)? (\d+(?:(?:, | and )\d+)*)/g)
    const named = Array.from(mentions, ([, codes = ""]) => codes.split(/, | and /).map(Number)).flat()
    expect(all, path).toEqual(expect.arrayContaining(named))
  }
  expect(read("docs/install.md")).toContain("exit codes 2, 74 and 78")
})

test("each way to run the product says how to install, upgrade, go back and uninstall", () => {
  const sections = read("docs/install.md").split("\n## ").slice(1, -1)
  expect(sections.map((section) => section.split("\n")[0])).toEqual([
    "From source",
    "With systemd",
    "With Docker",
    "Several nodes on PostgreSQL",
    "Without the internet",
  ])
  const steps = /^### (Install|Upgrade|Go back|Uninstall) /gm
  for (const section of sections) {
    expect(Array.from(section.matchAll(steps), ([, step]) => step)).toEqual([
      "Install",
      "Upgrade",
      "Go back",
      "Uninstall",
    ])
  }
})

test("every link from a document to a heading of another leads to one", () => {
  const documents = ["README.md", ...globSync("docs/*.md", { cwd: root })]
  const broken = documents.flatMap((path) =>
    Array.from(read(path).matchAll(/\]\(((?:docs\/)?[\w-]+\.md)?#([\w-]+)\)/g), ([link, file, anchor = ""]) => {
      const target = file === undefined ? path : path === "README.md" ? file : `docs/${basename(file)}`
      return anchorsOf(read(target)).includes(anchor) ? undefined : `${path}: ${link}`
    }),
  )
  expect(broken.filter((one) => one !== undefined)).toEqual([])
})

/** As GitHub makes them. */
function anchorsOf(text: string): string[] {
  return Array.from(text.matchAll(/^#+ (.*)$/gm), ([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, "")
      .trim()
      .replaceAll(" ", "-"),
  )
}
