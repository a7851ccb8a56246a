export {
  type FormatName,
  formatNames,
  formats,
  type ReadableFormatName,
  readableFormatNames,
} from "./formats.ts"
export { parseRaw, printRaw, rawRefusal } from "./raw.ts"
export type { Refused, Variable } from "./variable.ts"
