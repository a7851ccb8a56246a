export { detectSyntax } from "./detect-syntax.ts"
export { canRepair, type Finding, type FindingKind, findingKinds, lintImport, repaired, type WhereTo } from "./lint.ts"
export { binaryText, isBinary, maxImportCharacters, readImport, tooLongToImport } from "./read-import.ts"
export { type ImportEntry, type ImportFault, type ImportResult, type Syntax, syntaxes, syntaxLabels } from "./result.ts"
