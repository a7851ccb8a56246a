import { promises as fs } from "node:fs"
import { type Project, projectFile } from "./project.ts"

/** Not a secret: everyone who can read the folder may read it. */
export async function writeProject(project: Project): Promise<void> {
  await fs.writeFile(projectFile, `${JSON.stringify(project, null, 2)}\n`)
}
