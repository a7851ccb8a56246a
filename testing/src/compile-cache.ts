import { join } from "node:path"

/** For servers that run from source: Node keeps what it compiled, which is half the work of a start. */
export const compileCache = {
  NODE_COMPILE_CACHE: join(import.meta.dirname, "../../node_modules/.cache/compiled"),
}
