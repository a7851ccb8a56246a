import type { Cleanup } from "../cleanup.ts"
import { startSideProcess } from "../side-process.ts"
import type { Load, LoadResult } from "./generator.ts"

/** Runs as long as a measurement of this run does, unless another time is given. */
export type Loader = (load: Omit<Load, "seconds" | "warmSeconds"> & { seconds?: number }) => Promise<LoadResult>

/** One generator for the whole run: the same process, equally warm, measures every server. */
export function startLoader(cleanup: Cleanup, usualSeconds: number): Loader {
  const generator = startSideProcess(cleanup, "load/generator.ts")
  return ({ seconds = usualSeconds, ...load }) =>
    generator.ask({ ...load, seconds, warmSeconds: seconds / 4 } satisfies Load)
}
