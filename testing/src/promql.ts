// What an expression of an alert or a dashboard asks for. Reads as much of PromQL as ours use.

export interface Selector {
  name: string
  matchers: { label: string; operator: string; value: string }[]
}

export interface Expression {
  selectors: Selector[]
  /** The labels that it sums by, or joins on. */
  grouped: string[]
}

const text = String.raw`"(?:[^"\\]|\\.)*"`
const name = "[a-zA-Z_:][a-zA-Z0-9_:]*"
const withMatchers = new RegExp(String.raw`(${name})\s*\{((?:[^"}]|${text})*)\}`, "g")
const matcher = new RegExp(String.raw`(${name})\s*(=~|!~|!=|=)\s*(${text})`, "g")
const grouping = /\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g
const keywords = new Set(["and", "or", "unless", "bool", "offset", "group_left", "group_right"])

export function readExpression(expression: string): Expression {
  const selectors: Selector[] = []
  const grouped: string[] = []
  const bare = expression
    .replace(withMatchers, (_, metric: string, matchers: string) => {
      const parts = Array.from(matchers.matchAll(matcher), ([, label = "", operator = "", value = ""]) => ({
        label,
        operator,
        value: JSON.parse(value) as string,
      }))
      selectors.push({ name: metric, matchers: parts })
      return " "
    })
    .replace(/\[[^\]]*\]/g, " ")
    .replace(grouping, (_, labels: string) => {
      grouped.push(...labels.split(",").map((label) => label.trim()))
      return " "
    })
  // What stands before a bracket is a function.
  for (const [word] of bare.matchAll(new RegExp(String.raw`(?<![\w.$:])${name}(?![\w:])(?!\s*\()`, "g"))) {
    if (!keywords.has(word)) selectors.push({ name: word, matchers: [] })
  }
  return { selectors, grouped }
}
