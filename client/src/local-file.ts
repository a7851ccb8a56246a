import { promises as fs } from "node:fs"
import { formats, type Variable } from "@envkeep/formats"
import { CommandError, describeCode } from "./messages.ts"
import { textIn } from "./utf8.ts"
import { writeFile } from "./write-file.ts"

/** The variables of a `.env` file. A line that cannot be read is a failure, because a part would be lost. */
export async function readLocalFile(file: string): Promise<Variable[]> {
  return parseLocal(file, await readBytes(file))
}

export function parseLocal(file: string, bytes: Buffer): Variable[] {
  const { variables, faults } = formats.dotenv.parse(textIn(file, bytes))
  const [fault, ...others] = faults
  if (fault !== undefined) {
    const more = others.length === 0 ? "" : ` (and ${others.length} more)`
    throw new CommandError(`${file}, line ${fault.line}: ${fault.reason}${more}`)
  }
  return [...new Map(variables.map((variable) => [variable.name, variable])).values()]
}

async function readBytes(file: string): Promise<Buffer> {
  try {
    return await fs.readFile(file)
  } catch (error) {
    throw new CommandError(`cannot read ${file}: ${describeCode((error as NodeJS.ErrnoException).code ?? "")}`)
  }
}

/** A failure names the file: the system names a temporary one, or none if the disk is full. */
export async function writeLocalFile(file: string, text: string, mode?: number): Promise<void> {
  try {
    await writeFile(file, text, mode)
  } catch (error) {
    throw new CommandError(`cannot write ${file}: ${describeCode((error as NodeJS.ErrnoException).code ?? "")}`)
  }
}
