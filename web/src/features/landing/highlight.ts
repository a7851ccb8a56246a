export type Language = "ts" | "sh"

interface Token {
  kind: "comment" | "string" | "keyword" | "call" | "name" | "plain"
  text: string
}

/** Enough for the samples of the guide. A highlighting library would be larger than the whole page. */
const patterns: Record<Language, RegExp> = {
  ts: /(?<comment>\/\/.*)|(?<string>"[^"]*")|(?<keyword>\b(?:import|from|const|await)\b)|(?<call>\b\w+(?=\())/g,
  sh: /(?<comment>#.*)|(?<string>"[^"]*")|(?<name>\b[A-Z][A-Z_]+(?==))|(?<keyword>^(?:npm|npx|node|export|envkeep)\b)|(?<call>(?<=\s)--?[\w-]*)/gm,
}

/** Splits code into tokens to colour. Joined, they are the code again. */
export function highlight(code: string, language: Language): Token[] {
  const tokens: Token[] = []
  let end = 0
  for (const match of code.matchAll(patterns[language])) {
    if (match.index > end) tokens.push({ kind: "plain", text: code.slice(end, match.index) })
    const [kind] = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined) ?? ["plain"]
    tokens.push({ kind: kind as Token["kind"], text: match[0] })
    end = match.index + match[0].length
  }
  if (end < code.length) tokens.push({ kind: "plain", text: code.slice(end) })
  return tokens
}
