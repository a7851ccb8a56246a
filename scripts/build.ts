import { type SpawnSyncOptions, spawnSync } from "node:child_process"
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { brotliCompressSync, gzipSync } from "node:zlib"
import { benchmarksPage } from "./benchmarks-page.ts"
import { bundleServer } from "./bundle-server.ts"

// Bundles the server, and builds the screens into static files.

const root = join(import.meta.dirname, "..")

// The server hands out this package, so it is built and packed with the server.
run(process.execPath, [join(root, "client/build.ts")])

run(process.execPath, [join(root, "web/build.ts")])

// Compressed once, here, at the highest level: the server only picks the file that the browser accepts.
const webDir = join(root, "web/dist")
for (const file of readdirSync(webDir, { recursive: true, encoding: "utf8" })) {
  if (!/\.(js|css|svg)$/.test(file)) continue
  const content = readFileSync(join(webDir, file))
  writeFileSync(join(webDir, `${file}.br`), brotliCompressSync(content))
  writeFileSync(join(webDir, `${file}.gz`), gzipSync(content, { level: 9 }))
}

// The build of the screens empties the folder, so what else is served comes after it.
writeFileSync(join(webDir, "benchmarks.html"), benchmarksPage())

// `npm pack` writes the same bytes each time.
const pack = ["pack", "--workspace", "envkeep", "--pack-destination", webDir, "--ignore-scripts"]
const [npm, ...npmArgs] = npmCommand()
const packed = run(npm, [...npmArgs, ...pack], { cwd: root, stdio: ["ignore", "pipe", "inherit"] })
renameSync(join(webDir, packed.trim()), join(webDir, "envkeep.tgz"))

rmSync(join(root, "server/dist"), { recursive: true, force: true })
await bundleServer(join(root, "server/dist"))

/** Returns what the program writes to a pipe. A program that fails or cannot be started ends the build. */
function run(program: string, args: string[], options: SpawnSyncOptions = {}): string {
  const { status, stdout, error } = spawnSync(program, args, { stdio: "inherit", ...options, encoding: "utf8" })
  if (error !== undefined) console.error(`cannot run ${program}: ${error.message}`)
  if (status !== 0) process.exit(status ?? 1)
  return stdout ?? ""
}

/**
 * On Windows, `npm` is a batch file, which only a shell can start. So Node runs the JavaScript behind it. npm says where it
 * is when it runs a script, and so do other package managers.
 */
function npmCommand(): [string, ...string[]] {
  const file = process.env["npm_execpath"]
  return file?.endsWith("npm-cli.js") ? [process.execPath, file] : ["npm"]
}
