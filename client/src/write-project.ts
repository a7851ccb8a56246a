import { writeLocalFile } from "./local-file.ts"
import { type Project, projectFile } from "./project.ts"

/** Not a secret: everyone who can read the folder may read it. */
export async function writeProject(project: Project): Promise<void> {
  await writeLocalFile(projectFile, `${JSON.stringify(project, null, 2)}\n`, 0o666)
}
