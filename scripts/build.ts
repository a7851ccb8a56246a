import { spawnSync } from "node:child_process"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { build } from "esbuild"

// The server becomes one file, with what it takes from the registry left outside; the screens become static files.

const root = join(import.meta.dirname, "..")

const screens = spawnSync("vite", ["build", "--logLevel", "warn"], { cwd: join(root, "web"), stdio: "inherit" })
if (screens.status !== 0) process.exit(screens.status ?? 1)

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
  // Our own packages go in; the others stay where npm put them.
  plugins: [
    {
      name: "leave-the-registry-outside",
      setup(plugin) {
        plugin.onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
          kind === "entry-point" || path.startsWith("@envkeep/") ? undefined : { path, external: true },
        )
      },
    },
  ],
})
