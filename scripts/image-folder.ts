import { spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readFileSync } from "node:fs"
import { basename, join, relative, resolve } from "node:path"
import type { Stage, Step } from "./dockerfile.ts"

const ofThisFolder = /^(npm_(package|lifecycle|command)|npm_config_local_prefix$|INIT_CWD$)/

export interface Roots {
  /** The folder that is sent to be built, with its .dockerignore. */
  context: string
  /** Where the folders of the stages are made. */
  place: string
  /** Stages that are taken as done, and the folder that stands for their /app. */
  done: Record<string, string>
}

/** The user that the image runs as; where we are not root, nobody but ourselves can be had. */
export function imageUser(): { uid: number; gid: number } {
  const uid = process.getuid?.() ?? 0
  return uid === 0 ? { uid: 10001, gid: 10001 } : { uid, gid: process.getgid?.() ?? 0 }
}

/** Does what a stage says, step by step, in a folder that stands for its file system. */
export function makeStage(stage: Stage, roots: Roots): string {
  const root = join(roots.place, stage.name)
  const base = join(roots.place, stage.from)
  mkdirSync(root, { recursive: true })
  if (existsSync(base)) cpSync(base, root, { recursive: true, verbatimSymlinks: true })
  let folder = existsSync(join(root, "app")) ? "/app" : "/"
  for (const step of stage.steps) {
    if (step.word === "WORKDIR") {
      folder = step.rest
      mkdirSync(join(root, folder), { recursive: true })
    }
    if (step.word === "COPY") copy(step, { root, folder, roots })
    if (step.word === "RUN") runStep(step, root, folder)
  }
  return root
}

function copy({ rest }: Step, { root, folder, roots }: { root: string; folder: string; roots: Roots }): void {
  const words = rest.split(" ")
  const from = words[0]?.startsWith("--from=") ? words.shift()?.slice("--from=".length) : undefined
  const target = words.pop() ?? ""
  const into = join(root, resolve(folder, target))
  const isLeftOut = from === undefined ? leftOut(roots.context) : () => false
  for (const word of words) {
    const source = sourceOf(word, from, roots)
    const isFolder = !/\.\w+$/.test(basename(source))
    const to = target.endsWith("/") && !isFolder ? join(into, basename(source)) : into
    cpSync(source, to, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !isLeftOut(relative(roots.context, path)),
    })
  }
}

function sourceOf(word: string, from: string | undefined, { context, place, done }: Roots): string {
  if (from === undefined) return resolve(context, word)
  const folder = done[from]
  return folder === undefined ? join(place, from, word) : join(folder, relative("/app", word))
}

/** What .dockerignore keeps out. */
function leftOut(context: string): (path: string) => boolean {
  const lines = readFileSync(join(context, ".dockerignore"), "utf8").split("\n").filter(Boolean)
  if (lines.some((line) => /^[#!]/.test(line))) throw new Error("Such lines of .dockerignore are not known here")
  const patterns = lines.map((line) => {
    const inner = line
      .replaceAll(".", "\\.")
      .replaceAll(/(?<!\*)\*(?!\*)/g, "[^/]*")
      .replace(/^\*\*\//, "(.*/)?")
    return new RegExp(`^${inner}(/|$)`)
  })
  return (path) => patterns.some((pattern) => pattern.test(path))
}

function runStep({ rest }: Step, root: string, folder: string): void {
  const { uid, gid } = imageUser()
  // The folder stands for the whole file system, and whoever we are stands for the image's user.
  const command = rest.replaceAll(/ \/(?=data\b)/g, ` ${root}/`).replaceAll("10001:10001", `${uid}:${gid}`)
  console.error(`+ ${rest}`)
  const { status } = spawnSync("sh", ["-ec", command], {
    cwd: join(root, folder),
    // npm tells its scripts which folder it was started for; another folder must not hear that.
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !ofThisFolder.test(name))),
    stdio: ["ignore", "ignore", "inherit"],
  })
  if (status !== 0) throw new Error(`The step failed: RUN ${rest}`)
}
