import { execFile } from "node:child_process"
import { basename, dirname, resolve } from "node:path"
import { printMessage } from "./messages.ts"

const gitTimeoutMs = 2_000
const notIgnored = 1

/** Says so if the file is in a repository that does not ignore it. Silent where git is missing or there is no repository. */
export async function warnOfGit(file: string): Promise<void> {
  if ((await checkIgnore(resolve(file))) !== notIgnored) return
  printMessage(`git does not ignore ${file}, so its values could be committed`, "add it to .gitignore")
}

/** The exit code of git, or undefined if it did not run. */
function checkIgnore(file: string): Promise<number | undefined> {
  // A repository may name a program that git starts to find what has changed.
  const inRepository = ["-C", dirname(file), "-c", "core.fsmonitor=false"]
  const args = [...inRepository, "check-ignore", "--quiet", "--", basename(file)]
  return new Promise((done) => {
    const child = execFile("git", args, { timeout: gitTimeoutMs }, () => done(child.exitCode ?? undefined))
  })
}
