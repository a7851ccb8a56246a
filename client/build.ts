import { spawnSync } from "node:child_process"
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { build } from "esbuild"
import { bundleTypes } from "./bundle-types.ts"

// The library is one CommonJS file with everything in it. The ES module re-exports it, and `envkeep/apply` imports it like
// any program would, so that there is one EnvkeepError however it is loaded. The command loads it when a key is used.

const folder = import.meta.dirname
const dist = join(folder, "dist")
const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))

rmSync(dist, { recursive: true, force: true })
mkdirSync(dist)
await bundle("index", { format: "cjs" })
await bundle("cli", { format: "cjs", banner: "#!/usr/bin/env node" })
await bundle("apply-sync", { format: "cjs", to: "apply" })
await bundle("apply", { format: "esm" })
chmodSync(join(dist, "cli.cjs"), 0o755)

const exported = Object.keys(createRequire(import.meta.url)("./dist/index.cjs"))
writeFileSync(join(dist, "index.js"), `export { ${exported.join(", ")} } from "./index.cjs"\n`)

const compiler = join(folder, "../node_modules/typescript/bin/tsc")
const types = spawnSync(process.execPath, [compiler, "-p", join(folder, "tsconfig.types.json")], { stdio: "inherit" })
if (types.status !== 0) process.exit(types.status ?? 1)
const declarations = bundleTypes(join(dist, "types"), "client/src/index.d.ts")
rmSync(join(dist, "types"), { recursive: true })
for (const file of ["index.d.ts", "index.d.cts"]) writeFileSync(join(dist, file), declarations)
for (const file of ["apply.d.ts", "apply.d.cts"]) writeFileSync(join(dist, file), "export {}\n")

async function bundle(
  name: string,
  { format, to = name, banner = "" }: { format: "cjs" | "esm"; to?: string; banner?: string },
): Promise<void> {
  const extension = format === "cjs" ? "cjs" : "js"
  await build({
    entryPoints: [join(folder, `src/${name}.ts`)],
    outfile: join(dist, `${to}.${extension}`),
    bundle: true,
    minify: true,
    // Node shows the line that threw, which must not fill the screen.
    lineLimit: 320,
    platform: "node",
    target: "node20",
    format,
    banner: { js: banner },
    define: { PACKAGE_VERSION: JSON.stringify(version) },
    plugins: [
      {
        // The library prints .env files and never reads them. A bundler cannot drop the unused method of an object.
        name: "leave-out-the-dotenv-parser",
        setup: (plugin) =>
          plugin.onLoad({ filter: /\/parse-dotenv\.ts$/ }, () =>
            name === "cli" ? undefined : { contents: "export const parseDotenv = undefined" },
          ),
      },
      {
        // What menus, documents and answers of the server say about a format.
        name: "leave-out-what-describes-formats",
        setup: (plugin) =>
          plugin.onLoad({ filter: /\/formats\/src\/\w+\.ts$/ }, ({ path }) => ({
            loader: "ts",
            contents: readFileSync(path, "utf8").replace(/^ {2}(label|mediaType|fileEnding|readers): .*,\n/gm, ""),
          })),
      },
      {
        name: "share-the-index",
        setup: (plugin) =>
          plugin.onResolve({ filter: /^\.{1,2}\/index\.ts$/ }, ({ importer }) =>
            importer.startsWith(join(folder, "src")) ? { path: `./index.${extension}`, external: true } : undefined,
          ),
      },
    ],
  })
}
