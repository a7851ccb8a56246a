import { type Command, environmentOptions, printingOptions } from "../command.ts"
import { writeOut } from "../output.ts"
import { fileToSave, saveFile } from "../save-file.ts"
import { loadWithWarnings, readPrinting, readSelection } from "../source.ts"

export const print: Command = {
  name: "print",
  group: "programs",
  usage: "",
  summary: "print the variables in any format",
  details: ["A variable that the format cannot hold is refused by name, never written wrongly."],
  options: [...environmentOptions, ...printingOptions],
  examples: [
    { line: 'eval "$(envkeep print --format shell)"', what: "into the shell" },
    { line: "envkeep print --format k8s --name app > secret.yaml", what: "as a Secret of Kubernetes" },
  ],
  async execute(given) {
    const [selection, { format, secret }] = [readSelection(given), readPrinting(given)]
    return writeOut(lines((await loadWithWarnings(given, selection)).text(format, secret)))
  },
}

/** JSON has no line break at its end, after which a terminal would show its prompt. */
function lines(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`
}

const saveOptions = [
  ...environmentOptions,
  ...printingOptions,
  { name: "force", text: "replace a file that envkeep did not write" },
]

export const save: Command = {
  name: "save",
  group: "programs",
  usage: "[file]",
  summary: "save the variables to a file, .env by default",
  details: [
    "The file is written atomically, and readable by you only. A file that envkeep did not write is not replaced, unless you add --force.",
    "Any format but dotenv needs the name of a file. If git does not ignore the file, it says so.",
  ],
  options: saveOptions,
  words: { min: 0, max: 1, tooMany: "save takes one file" },
  examples: [{ line: "envkeep save app.env --format systemd", what: "for a service" }],
  async execute(given) {
    const [selection, printing] = [readSelection(given), readPrinting(given)]
    const file = fileToSave(given, printing.format)
    await saveFile(await loadWithWarnings(given, selection), file, { ...printing, force: given.has("force") })
    return 0
  },
}
