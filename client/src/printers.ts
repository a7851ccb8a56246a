import { type FormatName, formats, type SecretNames, secretNamesFault, type Variable } from "@envkeep/formats"
import { EnvkeepError } from "./error.ts"
import { withMark } from "./save-mark.ts"
import { writeFile } from "./write-file.ts"

/** Writes variables in any format. */
export function printers(variables: Variable[]) {
  return { raw: () => text("raw"), text, save }

  async function save(file: string, { format = "dotenv", ...names }: { format?: FormatName } & SecretNames = {}) {
    await writeFile(file, withMark(text(format, names), format))
  }

  function text(format: FormatName, names: SecretNames = {}): string {
    if (!Object.hasOwn(formats, format)) {
      throw new EnvkeepError("refused_format", `The formats are ${Object.keys(formats).join(", ")}`)
    }
    const fault = secretNamesFault(names)
    if (fault !== undefined) throw new EnvkeepError("bad_option", fault)
    const printed = format === "k8s" ? formats.k8s.printAs(variables, names) : formats[format].print(variables)
    if ("text" in printed) return printed.text
    const reasons = printed.refused.map(({ name, reason }) => `${JSON.stringify(name)} (${reason})`)
    throw new EnvkeepError("refused_format", `The format ${format} cannot hold ${reasons.join(", ")}`)
  }
}
