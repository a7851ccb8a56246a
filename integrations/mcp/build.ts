import { chmodSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { build } from "esbuild"

// One file with the SDK in it: it runs wherever Node is, and installing it installs nothing else.

const folder = import.meta.dirname
const file = join(folder, "dist/envkeep-mcp.js")
const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))

await build({
  entryPoints: [join(folder, "src/main.ts")],
  outfile: file,
  bundle: true,
  minify: true,
  lineLimit: 320,
  legalComments: "external",
  platform: "node",
  target: "node20",
  format: "esm",
  banner: {
    js: '#!/usr/bin/env node\nimport { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
  },
  define: { PACKAGE_VERSION: JSON.stringify(version) },
})
chmodSync(file, 0o755)
