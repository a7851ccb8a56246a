import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { apiDocs } from "./api-docs.ts"

writeFileSync(join(import.meta.dirname, "../docs/api.md"), apiDocs())
