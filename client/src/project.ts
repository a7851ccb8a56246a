import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { CommandError } from "./messages.ts"

/** What `.envkeep.json` says: where the variables of a folder are. It holds no secret, so it belongs into the repository. */
export interface Project {
  server: string
  collection: { id: number; name: string }
  environment: { id: number; name: string }
}

export const projectFile = ".envkeep.json"

/** Of the current folder or the nearest one above it. */
export function findProject(): Project | undefined {
  const found = findFile()
  return found && parseProject(found)
}

/** Whether there is a file, even if it is damaged. */
export function hasProjectFile(): boolean {
  return findFile() !== undefined
}

interface Found {
  file: string
  text: string
}

function findFile(): Found | undefined {
  for (let folder = process.cwd(); ; folder = dirname(folder)) {
    const file = join(folder, projectFile)
    const text = readIfThere(file)
    if (text !== undefined) return { file, text }
    if (dirname(folder) === folder) return undefined
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return undefined
  }
}

function parseProject({ file, text }: Found): Project {
  try {
    const project: Project = JSON.parse(text)
    const isPlace = ({ id, name }: Project["collection"]) => Number.isSafeInteger(id) && typeof name === "string"
    const { server, collection, environment } = project
    if (typeof server === "string" && isPlace(collection) && isPlace(environment)) return project
  } catch {
    // It is not JSON.
  }
  throw new CommandError(`${file} is not as envkeep init writes it`, "run envkeep init to write it again")
}
