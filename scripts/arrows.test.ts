import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"

const root = join(import.meta.dirname, "..")

/** The rooms of the server, each above those before it. Those of one line may import each other. */
const rooms = [
  ["db"],
  ["bounds"],
  ["keys"],
  ["access"],
  ["audit"],
  ["mail"],
  ["core"],
  ["http"],
  ["features/users"],
  ["jobs", "metrics"],
  ["backup", "doctor", "start"],
  ["cli"],
]

/** From each room to every one above it, by a type: that binds the two together just as well. */
function upwards(): [file: string, line: string][] {
  return rooms.flatMap((level, floor) =>
    level.flatMap((room) =>
      rooms
        .slice(floor + 1)
        .flat()
        .map((above): [string, string] => {
          const file = `server/src/${room}/to-${above.replace("/", "-")}.ts`
          return [file, `import type { A } from "${"../".repeat(room.split("/").length)}${above}/a.ts"`]
        }),
    ),
  )
}

/** One violation of every arrow: the file it is planted in, and the line that must be refused there. */
const violations: [string, string][] = [
  ["contract/src/a.ts", 'import "fastify"'],
  ["contract/src/b.ts", 'import "node:fs"'],
  ["contract/src/c.ts", 'import "../../formats/src/index.ts"'],
  ["contract/src/d.ts", 'import "@envkeep/server"'],
  ["formats/src/a.ts", 'import "zod"'],
  ["formats/src/b.ts", 'import "node:fs"'],
  ["formats/src/c.ts", 'import "yaml"'],
  ["formats/src/import/a.ts", 'import "node:fs"'],
  ["client/src/a.ts", 'import "zod"'],
  ["client/src/b.ts", 'import "@envkeep/contract"'],
  ["integrations/mcp/src/a.ts", 'import "envkeep"'],
  ["integrations/mcp/src/b.ts", 'import "@envkeep/server/app.ts"'],
  ["server/src/a.ts", "export const env = process.env"],
  ["server/src/b.ts", 'import "node:process"'],
  ["server/src/features/a/routes.ts", 'import "./store.ts"'],
  ["server/src/features/b/routes.ts", 'import "kysely"'],
  ["server/src/features/c/routes.ts", 'import "../../db/open.ts"'],
  ["server/src/features/d/routes.ts", 'import "../users/rules.ts"'],
  ["server/src/features/e/part/routes.ts", 'import "../../users/rules.ts"'],
  ["server/src/features/a/rules.ts", 'import "../users/store.ts"'],
  ["server/src/features/b/rules.ts", 'import "../../http/route.ts"'],
  ["server/src/features/c/rules.ts", 'import "fastify"'],
  ["server/src/features/d/rules.ts", 'import "kysely"'],
  ["server/src/features/e/rules.ts", 'import "./routes.ts"'],
  ["server/src/features/f/rules.ts", 'import "./part/store.ts"'],
  ["server/src/features/a/part/rules.ts", 'import "../other-part/store.ts"'],
  ["server/src/features/b/part/rules.ts", 'import "../../users/store.ts"'],
  // Whatever a file of a feature is called: it opens no transaction, and holds no SQL and no HTTP.
  ["server/src/features/a/anything.ts", 'import "../../db/transaction.ts"'],
  ["server/src/features/b/anything.ts", 'import "../../db/open.ts"'],
  ["server/src/features/c/part/anything.ts", 'import "../../../db/transaction.ts"'],
  ["server/src/features/d/anything.ts", 'import "pg"'],
  ["server/src/features/e/anything.ts", 'import "../../http/errors.ts"'],
  ["server/src/features/a/store.ts", 'import "./rules.ts"'],
  ["server/src/features/b/store.ts", 'import "../../errors.ts"'],
  ["server/src/features/c/store.ts", 'import "../../http/errors.ts"'],
  ["server/src/features/d/store.ts", 'import "../users/store.ts"'],
  ["server/src/features/e/store.ts", 'import "../../db/transaction.ts"'],
  ["server/src/features/a/part/store.ts", 'import "../store.ts"'],
  ["server/src/features/a/revision-store.ts", 'import "./rules.ts"'],
  ["server/src/features/i/anything.ts", 'import "../environments/revision-store.ts"'],
  ["server/src/features/f/anything.ts", 'import "../../core/stored-bytes.ts"'],
  ["server/src/features/g/anything.ts", 'import "../../jobs/list.ts"'],
  ["server/src/features/h/anything.ts", 'import type { Config } from "../../config.ts"'],
  ["server/src/features/f/routes.ts", 'import "../../core/stored-bytes.ts"'],
  ["server/src/features/f/store.ts", 'import "../../metrics/page.ts"'],
  ...upwards(),
  ["server/src/db/a.ts", 'import "../errors.ts"'],
  ["server/src/db/b.ts", 'import "../app.ts"'],
  ["server/src/keys/a.ts", 'import "../config.ts"'],
  ["server/src/http/a.ts", 'import type { Config } from "../config.ts"'],
  ["server/src/metrics/a.ts", 'import "../app.ts"'],
  ["server/src/start/a.ts", 'import "../main.ts"'],
  ["server/src/errors.ts", 'import "./access/caller.ts"'],
  ["server/src/config.ts", 'import "./core/core.ts"'],
  ["server/src/app.ts", 'import "./start/serve.ts"'],
  ["web/src/ui/a.tsx", 'import "../lib/api.ts"'],
  ["web/src/ui/b.tsx", 'import "../features/items/queries.ts"'],
  ["web/src/ui/c.tsx", 'import "@envkeep/contract"'],
  ["web/src/lib/a.ts", 'import "../features/items/queries.ts"'],
  ["web/src/lib/b.ts", 'import "../app/router.tsx"'],
  ["web/src/features/items/a.tsx", 'import "../environments/queries.ts"'],
  ["web/src/features/items/b.tsx", 'import "../../app/router.tsx"'],
  ["web/src/features/environments/a.tsx", 'import "../collections/queries.ts"'],
  ["web/src/features/collections/a.tsx", 'import "../items/queries.ts"'],
  ["web/src/features/compare/a.tsx", 'import "../collections/queries.ts"'],
  ["web/src/features/api-keys/a.ts", 'import "../items/queries.ts"'],
  ["web/src/features/history/a.ts", 'import "../items/queries.ts"'],
  ["web/src/features/trash/a.ts", 'import "../collections/queries.ts"'],
  ["web/src/features/teams/a.ts", 'import "../collections/queries.ts"'],
  ["web/src/features/invitations/a.ts", 'import "../teams/queries.ts"'],
  ["web/src/features/auth/a.ts", 'export * from "../items/queries.ts"'],
  ["web/src/features/auth/b.ts", 'export const later = () => import("../items/queries.ts")'],
  // The parts of a feature, in folders of their own, stand under the same arrows.
  ["web/src/ui/part/a.tsx", 'import "../../lib/api.ts"'],
  ["web/src/lib/part/a.ts", 'import "../../app/router.tsx"'],
  ["web/src/features/items/part/a.tsx", 'import "../../environments/queries.ts"'],
  ["web/src/features/items/part/b.tsx", 'import "../../../app/router.tsx"'],
  ["web/src/features/auth/part/a.ts", 'import "../../items/queries.ts"'],
  ["web/src/features/collections/part/a.tsx", 'import "../../items/queries.ts"'],
  ["web/src/features/environments/part/a.tsx", 'import "../../collections/queries.ts"'],
  ["web/src/features/environments/part/b.tsx", 'import "../../../app/router.tsx"'],
  ["web/src/features/environments/part/c.tsx", 'import "../EnvironmentBlock.tsx"'],
  ["web/src/features/environments/part/d.tsx", 'import "../raw/RawDialog.tsx"'],
  ["web/src/features/environments/part/e.tsx", 'import "../raw/raw-text.ts"'],
  ["web/src/features/environments/part/deeper/a.tsx", 'import "../../../../ui/Form.tsx"'],
]

/** What the arrows allow, so that the rules are known to look closer than "everything is forbidden". */
const allowed: [string, string][] = [
  ["contract/src/ok.ts", 'import "@envkeep/formats"\nimport "zod"\nimport "./call.ts"'],
  ["formats/src/ok.ts", 'import "./raw.ts"'],
  ["formats/src/import/ok.ts", 'import "../raw.ts"\nimport "./tree.ts"\nimport "yaml"'],
  ["client/src/ok.ts", 'import "node:fs"\nimport "@envkeep/formats"'],
  [
    "integrations/mcp/src/ok.ts",
    'import "@envkeep/contract"\nimport "@modelcontextprotocol/server/stdio"\nimport "zod"',
  ],
  ["server/src/main.ts", "export const env = process.env"],
  ["server/src/features/ok/routes.ts", 'import "../../http/route.ts"\nimport "./rules.ts"'],
  ["server/src/features/ok/rules.ts", 'import "../users/rules.ts"\nimport "./store.ts"\nimport "../../core/core.ts"'],
  ["server/src/features/ok/part/rules.ts", 'import "../store.ts"\nimport "./store.ts"\nimport "../../../core/core.ts"'],
  ["server/src/features/ok/store.ts", 'import "kysely"\nimport "../../db/schema.ts"'],
  ["server/src/features/ok/revision-store.ts", 'import "kysely"\nimport "./store.ts"'],
  ["server/src/core/ok.ts", 'import "../mail/mail-queue.ts"\nimport "../access/caller.ts"\nimport "../db/schema.ts"'],
  ["server/src/jobs/ok.ts", 'import "../features/users/rules.ts"\nimport "../core/core.ts"\nimport "../config.ts"'],
  ["server/src/start/ok.ts", 'import "../app.ts"\nimport "../backup/beforehand.ts"'],
  ["server/src/start-error.ts", 'import "./db/faults.ts"'],
  ["web/src/features/collections/ok.tsx", 'import "../../lib/api.ts"\nimport "../environments/Environment.tsx"'],
  ["web/src/features/collections/ok2.tsx", 'import "../trash/queries.ts"'],
  ["web/src/features/environments/ok3.tsx", 'import "../trash/queries.ts"'],
  ["web/src/features/environments/ok.tsx", 'import "../api-keys/ApiKeys.tsx"\nimport "../items/Items.tsx"'],
  ["web/src/features/items/ok.tsx", 'import "../history/ItemHistoryDialog.tsx"'],
  ["web/src/features/environments/ok2.tsx", 'import "./raw/RawDialog.tsx"\nimport "../../ui/Form.tsx"'],
  ["web/src/features/environments/part/ok.tsx", 'import "../../../ui/Form.tsx"\nimport "../queries.ts"'],
  ["web/src/features/environments/part/ok2.tsx", 'import "../../../lib/api.ts"\nimport "../../items/Items.tsx"'],
  ["web/src/features/collections/part/ok.tsx", 'import "../../environments/Environment.tsx"'],
]

test("each arrow of the house is a lint error when it is broken, and only then", () => {
  const folder = mkdtempSync(join(tmpdir(), "envkeep-arrows-"))
  for (const file of ["biome.json", ".gitignore"]) cpSync(join(root, file), join(folder, file))
  for (const [file, line] of [...violations, ...allowed]) {
    mkdirSync(join(folder, dirname(file)), { recursive: true })
    writeFileSync(join(folder, file), `${line}\n`)
  }
  const lint = spawnSync("biome", ["lint", "--reporter=github", "--max-diagnostics=none"], {
    cwd: folder,
    encoding: "utf8",
  })
  rmSync(folder, { recursive: true })

  const refused = Array.from(
    lint.stdout.matchAll(/title=lint\/style\/noRestricted(?:Imports|Globals),file=([^,]+)/g),
    (match) => match[1]?.replace(`${folder}/`, ""),
  )
  expect([...new Set(refused)].sort()).toEqual(violations.map(([file]) => file).sort())
})

test("each folder of the server is a room with a place in the order", () => {
  const folders = readdirSync(join(root, "server/src"), { withFileTypes: true }).filter((one) => one.isDirectory())
  expect(folders.map(({ name }) => name).sort()).toEqual(
    rooms
      .flat()
      .map((room) => room.replace(/\/.*/, ""))
      .sort(),
  )
})
