import type { Section } from "./bench.ts"
import type { Held } from "./budgets.ts"

export function printed(sections: Section[]): string {
  return sections.map(({ title, columns, rows }) => `\n${title}\n${aligned([columns, ...rows])}`).join("")
}

export function markdown(sections: Section[]): string {
  return sections
    .map(({ title, how, columns, rows }) => `## ${title}\n\n${how}\n\n${markdownTable(columns, rows)}\n`)
    .join("\n")
}

export function budgetSection(held: Held[]): Section {
  return {
    title: "Budgets",
    how: "`npm run bench -- --check` exits with 1 when one is broken.",
    columns: ["Promise", "Where", "Budget", "Figure", "Kept"],
    rows: held.map(({ promise, where, limit, measured, kept }) => [
      promise,
      where,
      limit,
      short(measured),
      kept ? "yes" : "NO",
    ]),
    held: [],
  }
}

export const short = (value: number) => value.toFixed(Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0)
export const whole = (value: number) => Math.round(value).toLocaleString("en-US")
export const milliseconds = (value: number) => `${short(value)} ms`
export const megabytes = (bytes: number) => `${short(bytes / 1e6)} MB`
export const times = (value: number) => value.toFixed(2)

function aligned(table: string[][]): string {
  const widths = (table[0] ?? []).map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)))
  // Words on the left, figures on the right.
  const line = (row: string[]) =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join("  ")
  return table.map((row) => `  ${line(row)}\n`).join("")
}

function markdownTable(columns: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(" | ")} |`
  return [line(columns), line(columns.map((_, at) => (at === 0 ? "---" : "--:"))), ...rows.map(line)].join("\n")
}
