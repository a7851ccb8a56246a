import {
  type Finding,
  type ImportResult,
  lintImport,
  readImport,
  type Syntax,
  type WhereTo,
} from "@envkeep/formats/import"

/** A text to read, how, and where its variables would go. */
export interface ToRead {
  text: string
  syntax: Syntax
  where: WhereTo
}

/** What is in a text, and what looks wrong in it. */
export interface ReadText extends ImportResult {
  findings: Finding[]
}

export async function readText({ text, syntax, where }: ToRead): Promise<ReadText> {
  const result = await readImport(text, syntax)
  return { ...result, findings: lintImport(result.entries, where) }
}
