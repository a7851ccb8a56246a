export type { Format, FormatDocs } from "./format.ts"
export {
  type FormatName,
  formatNames,
  formats,
  type ReadableFormatName,
  readableFormatNames,
} from "./formats.ts"
export { parseRaw, printRaw, rawRefusal } from "./raw.ts"
export type { Parsed, Printed, Refused, Variable } from "./variable.ts"
