import { join } from "node:path"
import { build } from "esbuild"

/** What the server loads when it is first used gets files of its own. */
export async function bundleServer(outdir: string): Promise<void> {
  await build({
    entryPoints: [join(import.meta.dirname, "../server/src/main.ts")],
    outdir,
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
}
