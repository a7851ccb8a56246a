import { join } from "node:path"
import { contentTypes, descriptions, formats } from "./src/index.ts"

export const docsFile = join(import.meta.dirname, "../docs/formats.md")

/** `docs/formats.md`, made from the descriptions: run this file to write it; a test holds it to be current. */
export function formatsDocs(): string {
  const rows = formats.map((format) => {
    const { title, readers, names, values } = descriptions[format]
    return `| [\`${format}\`](#${format}) | ${title} | ${readers} | ${names} | ${values} |`
  })
  const sections = formats.map((format) => {
    const { title, use, limits } = descriptions[format]
    const facts = [`${title}, sent as \`${contentTypes[format]}\`. Example: ${use}`, ...limits]
    return `## ${format}\n\n${facts.map((fact) => `- ${fact}`).join("\n")}\n`
  })
  return `# Formats

Made from \`formats/src/descriptions.ts\` by \`node formats/docs.ts\`.

Each format is written for certain programs, and these decide: in the tests they read back names and values of the worst
kind, byte for byte. systemd's parser takes part where its package can be had; Docker's rules are written down anew, since no
Docker engine takes part. What a program cannot take is refused, with the name of the variable and the reason; it is never
written wrongly, and a name or value never runs as code. No format but JSON and YAML holds a NUL character, and none but JSON
half a surrogate pair.

| Format | What it is | Read by | Names | Values |
|---|---|---|---|---|
${rows.join("\n")}

What a variable means to the programs you start is theirs to know: \`PATH\`, \`LD_PRELOAD\` and \`NODE_OPTIONS\` do what they
always do.

${sections.join("\n")}`
}
