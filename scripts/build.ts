import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { brotliCompressSync, gzipSync } from "node:zlib"
import { build } from "esbuild"
import { benchmarksPage } from "./benchmarks-page.ts"

// Bundles the server, without the packages from the registry, and builds the screens into static files.

const root = join(import.meta.dirname, "..")

// The server hands out this package, so it is built and packed with the server.
const client = spawnSync(process.execPath, [join(root, "client/build.ts")], { stdio: "inherit" })
if (client.status !== 0) process.exit(client.status ?? 1)

const screens = spawnSync("vite", ["build", "--logLevel", "warn"], { cwd: join(root, "web"), stdio: "inherit" })
if (screens.status !== 0) process.exit(screens.status ?? 1)

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
const packed = spawnSync("npm", ["pack", "--workspace", "envkeep", "--pack-destination", webDir, "--ignore-scripts"], {
  cwd: root,
  encoding: "utf8",
  stdio: ["ignore", "pipe", "inherit"],
})
if (packed.status !== 0) process.exit(packed.status ?? 1)
renameSync(join(webDir, packed.stdout.trim()), join(webDir, "envkeep.tgz"))

rmSync(join(root, "server/dist"), { recursive: true, force: true })
await build({
  entryPoints: [join(root, "server/src/main.ts")],
  outdir: join(root, "server/dist"),
  bundle: true,
  splitting: true,
  platform: "node",
  target: "node24",
  format: "esm",
  sourcemap: true,
  // Our own packages are bundled; the others stay in node_modules.
  plugins: [
    {
      name: "registry-packages-are-external",
      setup(plugin) {
        plugin.onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
          kind === "entry-point" || path.startsWith("@envkeep/") ? undefined : { path, external: true },
        )
      },
    },
  ],
})
