import { join } from "node:path"
import { isBuilt } from "./build-state.ts"

// Builds the product if the build is missing or older than the sources.

if (!isBuilt(join(import.meta.dirname, ".."))) {
  console.error("envkeep: building (only the first time, and after an update)")
  await import("./build.ts")
}
