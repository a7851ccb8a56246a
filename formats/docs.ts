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

${sections.join("\n")}
${importDocs}`
}

const importDocs = `## Import

The import of an environment detects how a text is written, says what it recognised and why, and shows what it would change
before it saves anything. Reading can be set to another syntax by hand. It reads:

| Written as | Recognised |
|---|---|
| \`.env\` lines | \`vercel env pull\`, \`doppler secrets download --format env\`, \`infisical export\`, \`.env.example\` |
| shell | \`export\` and \`declare -x\` lines, with the escapes in \`$'…'\` of bash, zsh, ksh and mksh. Nothing is expanded or run, and here-documents are not read |
| \`.properties\` | Java's escapes, and lines that a backslash joins |
| \`heroku config\` | the table, and what \`-s\` prints |
| systemd | an \`EnvironmentFile\` as Envkeep exports it |
| JSON | one object of names and values (\`heroku config --json\`, Doppler, Netlify), Doppler's and Infisical's API and export, Vercel's API, AWS SSM, Secrets Manager and Lambda, Google Secret Manager, HashiCorp Vault, ECS task definitions, \`docker inspect\`, lists of names and values (1Password, Bitwarden, GitLab, Azure, Render) |
| JSON or YAML | Kubernetes Secrets (\`data\` is decoded), ConfigMaps, Lists and the \`env\` of containers; Compose files with \`environment\` as a map or a list; the \`env\` and \`environment\` blocks of Helm values, Cloud Run, CircleCI, Serverless, GitHub Actions and CloudFormation; one map of names and values |

- Refused with their name, and what to import instead: systemd units, TOML, INI files with several sections, Terraform files,
  JSON lines, vaults that Bitwarden exported and GitHub's list of secrets.
- A key or certificate without a name is one fault. Its lines are never names, which are not encrypted.
- A value of YAML with a tag such as \`!Ref\` or \`!vault\` is reported: its text is not its value.
- Values that other programs would replace are marked: \`$A\`, \`\\$\`, \`$(A)\` and \`op://\` addresses. Envkeep stores them as they are.
- Numbers and words such as \`true\` become the text that was written: \`1.10\` stays \`1.10\`.
- What dotenvx, dotenv-vault, SOPS, Sealed Secrets and Ansible Vault encrypted is refused as a whole, with what to run first.
- Of names that appear more than once, the last counts, or the first, or the one you choose. A text with several parts, such
  as the services of a Compose file, can be imported one part at a time.
- What looks wrong is listed, and can be repaired with one click: typographic quotes, stray spaces, invisible characters, a PEM
  that lost its line breaks, placeholders, and in an environment that is protected or called like production, local
  addresses and test keys. Nothing is refused because of it.
- A \`.env.example\` or \`.env.schema\` is recognised by its name, by marks such as \`@required\`, or because no value is filled in.
  Its values become examples and its comments descriptions, unless you choose to import the values. From any other text,
  comments and notes can be taken as descriptions too.
- Exports of Envkeep are read back to the same bytes. Those for Docker and systemd are recognised by the name of their file.
- Limits: 8 MiB of text, 300,000 lines, 20,000 variables, for YAML 1.5 million characters and 120,000 tokens; 64 levels of
  nesting. Aliases and merges (\`<<\`) of YAML are followed as long as they do not expand to more than 200,000 nodes.
`

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
