export type Language = "ts" | "sh" | "py" | "yaml" | "text"

interface Token {
  kind: "comment" | "string" | "keyword" | "call" | "name" | "plain"
  text: string
}

/** Enough for our samples. A highlighting library would be larger than the whole page. */
const patterns: Record<Language, RegExp> = {
  ts: /(?<comment>\/\/.*)|(?<string>"[^"]*")|(?<keyword>\b(?:import|from|const|await|require)\b)|(?<call>\b\w+(?=\())/g,
  py: /(?<comment>#.*)|(?<string>f?"[^"]*")|(?<keyword>\b(?:import|with|as)\b)|(?<call>\b\w+(?=\())/g,
  yaml: /(?<comment>#.*)|(?<string>"[^"]*")|(?<name>\b[A-Z][A-Z_]+(?=:))|(?<keyword>\b[\w-]+(?=:(?:\s|$)))/gm,
  sh: /(?<comment>#.*)|(?<string>"[^"]*")|(?<name>\b[A-Z][A-Z_]+(?==))|(?<keyword>^\s?(?:npm|npx|node|export|envkeep|curl|docker|gh)\b)|(?<call>(?<=\s)--?[\w-]*)/gm,
  // Nothing is coloured, whatever it looks like: a secret may end like an assignment.
  text: /(?!)/g,
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
