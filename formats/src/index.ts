export { printJson } from "./json.ts"
export { parseRaw, printRaw, rawRefusal, type Variable } from "./raw.ts"
