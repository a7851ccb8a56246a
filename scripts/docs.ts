import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { cliDocs, docsFile as cliDocsFile } from "../client/docs.ts"
import { docsFile, formatsDocs } from "../formats/docs.ts"
import { apiDocs } from "./api-docs.ts"
import { migrationSums, sumsFile } from "./migration-sums.ts"

writeFileSync(join(import.meta.dirname, "../docs/api.md"), apiDocs())
writeFileSync(cliDocsFile, cliDocs())
writeFileSync(docsFile, await formatsDocs())
writeFileSync(sumsFile, migrationSums())
