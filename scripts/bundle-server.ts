import { join } from "node:path"
import { build, type Plugin } from "esbuild"

/**
 * Bundles the server with the packages that a start needs: a few files take less memory than hundreds, and less time. What
 * the server loads when it is first used gets files of its own, or stays in node_modules if it is a package.
 */
export async function bundleServer(outdir: string): Promise<void> {
  await build({
    entryPoints: [join(import.meta.dirname, "../server/src/main.ts")],
    outdir,
    bundle: true,
    splitting: true,
    platform: "node",
    target: "node24",
    format: "esm",
    // Node keeps the text of what it loads in memory.
    minifyWhitespace: true,
    minifySyntax: true,
    // An error that nothing catches is printed with its line.
    lineLimit: 120,
    sourcemap: true,
    mainFields: ["module", "main"],
    // For the packages that are CommonJS.
    banner: {
      js: 'import { createRequire as requireOf } from "node:module";const require = requireOf(import.meta.url);',
    },
    plugins: [packagesOfFirstUse, httpWithoutItsClient],
  })
}

const packagesOfFirstUse: Plugin = {
  name: "packages-of-first-use",
  setup(plugin) {
    // A binary, which finds its file from where it is.
    plugin.onResolve({ filter: /^@node-rs\/argon2$/ }, ({ path }) => ({ path, external: true }))
    plugin.onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === "dynamic-import" && !path.startsWith("@envkeep/") ? { path, external: true } : undefined,
    )
  },
}

/** An import of `node:http` reads all that it exports. With one of these, Node loads its HTTP client, which a start does not use. */
const httpWithoutItsClient: Plugin = {
  name: "http-without-its-client",
  setup(plugin) {
    plugin.onResolve({ filter: /^node:http$/ }, ({ path, kind }) =>
      kind === "import-statement" ? { path, namespace: "required" } : undefined,
    )
    plugin.onLoad({ filter: /^/, namespace: "required" }, ({ path }) => ({
      contents: `module.exports = require("${path}")`,
    }))
  },
}
