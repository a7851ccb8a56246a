import { promises as fs } from "node:fs"
import { formats, type Variable } from "@envkeep/formats"
import { CommandError, describeCode } from "./messages.ts"

/** The variables of a `.env` file. A line that cannot be read is a failure, because a part would be lost. */
export async function readLocalFile(file: string): Promise<Variable[]> {
  return parseLocal(file, await readText(file))
}

export function parseLocal(file: string, text: string): Variable[] {
  const { variables, faults } = formats.dotenv.parse(text)
  const [fault, ...others] = faults
  if (fault !== undefined) {
    const more = others.length === 0 ? "" : ` (and ${others.length} more)`
    throw new CommandError(`${file}, line ${fault.line}: ${fault.reason}${more}`)
  }
  return [...new Map(variables.map((variable) => [variable.name, variable])).values()]
}

async function readText(file: string): Promise<string> {
  try {
    return await fs.readFile(file, "utf8")
  } catch (error) {
    throw new CommandError(`cannot read ${file}: ${describeCode((error as NodeJS.ErrnoException).code ?? "")}`)
  }
}
