import { join } from "node:path"
import type { FormatDocs } from "./src/format.ts"
import { type FormatName, formatNames, formats } from "./src/index.ts"

export const docsFile = join(import.meta.dirname, "../docs/formats.md")

/** The text of `docs/formats.md`. `npm run docs` writes the file, and a test checks that it is current. */
export async function formatsDocs(): Promise<string> {
  const described = await Promise.all(
    formatNames.map(async (name) => ({ ...formats[name], docs: await readDocs(name) })),
  )
  const rows = described.map(
    ({ name, label, readers, docs }) =>
      `| [\`${name}\`](#${name}) | ${label} | ${readers} | ${docs.names} | ${docs.values} |`,
  )
  const sections = described.map(({ name, label, mediaType, docs }) => {
    const facts = [`${label}, sent as \`${mediaType}\`. Example: ${docs.example}`, ...docs.limits]
    return `## ${name}\n\n${facts.map((fact) => `- ${fact}`).join("\n")}\n`
  })
  return `# Formats

Made from \`formats/src/\` by \`npm run docs\`.

Each format is written for certain programs. In the tests these programs read back hostile names and values, byte for byte.
systemd's own parser takes part where its package can be installed. Docker's rules are reimplemented in the tests, because no
Docker engine runs there. A variable that a program cannot read is refused, with its name and the reason. It is never written
wrongly, and no name or value ever runs as code. Only ${holders("\0")} can hold a NUL character, and only ${holders("\ud800")} can hold half
a surrogate pair.

| Format | What it is | Read by | Names | Values |
|---|---|---|---|---|
${rows.join("\n")}

Envkeep does not judge what a variable means to the programs you start: \`PATH\`, \`LD_PRELOAD\` and \`NODE_OPTIONS\` have
their usual effect.

${sections.join("\n")}`
}

async function readDocs(name: FormatName): Promise<FormatDocs> {
  const { docs } = (await import(`./src/${name}.ts`)) as { docs?: FormatDocs }
  if (docs === undefined) throw new Error(`formats/src/${name}.ts does not export docs`)
  return docs
}

/** The formats that can hold a value, as "JSON, Raw text and YAML". */
function holders(value: string): string {
  const able = formatNames.filter((name) => "text" in formats[name].print([{ name: "A", value }]))
  return new Intl.ListFormat("en-GB").format(able.map((name) => formats[name].label))
}
