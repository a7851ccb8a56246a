export {
  type DescribedName,
  type FoundDescription,
  parseComment,
  parseEnvExample,
  printEnvExample,
} from "./env-example.ts"
export {
  type FormatName,
  formatNames,
  formats,
  type ReadableFormatName,
  readableFormatNames,
} from "./formats.ts"
export { keyBlocksIn } from "./key-block.ts"
export { fitsKind, type Kind, type KindRule, kinds } from "./kinds.ts"
export { parseRaw, printRaw, rawRefusal } from "./raw.ts"
export { type SecretNames, secretNamesFault } from "./secret-names.ts"
export type { Refused, Variable } from "./variable.ts"
