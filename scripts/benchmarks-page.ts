import { readFileSync } from "node:fs"
import { join } from "node:path"
import { escapeHtml } from "../server/src/escape-html.ts"
import { plainPage } from "../server/src/http/plain-page.ts"

const results = join(import.meta.dirname, "../bench/results.md")

/** The results of `npm run bench` as a page, for the landing page to link to. */
export function benchmarksPage(): string {
  const blocks = readFileSync(results, "utf8")
    .trim()
    .split(/\n{2,}/)
  return plainPage({
    title: "How we measured",
    style: tableStyle,
    body: `<main id="main" tabindex="-1">\n${blocks.map(toHtml).join("\n")}\n</main>`,
  })
}

/** What `bench/report.ts` writes: headings, paragraphs, lists, tables, and code within their text. */
function toHtml(block: string): string {
  const lines = block.split("\n")
  if (block.startsWith("# ")) return `<h1>${text(block.slice(2))}</h1>`
  if (block.startsWith("## ")) return `<h2>${text(block.slice(3))}</h2>`
  if (block.startsWith("- ")) return `<ul>${lines.map((line) => `<li>${text(line.slice(2))}</li>`).join("")}</ul>`
  if (block.startsWith("|")) return table(lines.map(cellsOf))
  return `<p>${text(lines.join(" "))}</p>`
}

function table([head = [], , ...rows]: string[][]): string {
  const headCells = head.map((cell) => (cell === "" ? "<td></td>" : `<th scope="col">${text(cell)}</th>`))
  const bodyRows = rows.map(([name = "", ...cells]) => {
    const values = cells.map((cell) => `<td>${text(cell)}</td>`)
    return `<tr><th scope="row">${text(name)}</th>${values.join("")}</tr>`
  })
  // A wide table scrolls, also by keyboard.
  return `<div class="table" role="group" aria-label="Figures" tabindex="0"><table><thead><tr>${headCells.join("")}</tr></thead><tbody>${bodyRows.join("")}</tbody></table></div>`
}

function cellsOf(line: string): string[] {
  return line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim())
}

function text(markdown: string): string {
  return escapeHtml(markdown).replace(/`([^`]+)`/g, "<code>$1</code>")
}

const tableStyle = `
main { max-width: 1160px; margin: 0 auto; padding: 36px 28px 96px; }
p, ul { max-width: 80ch; }
.table { overflow-x: auto; background: var(--surface); border: 1px solid var(--line); border-radius: 10px; }
table { width: 100%; border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; }
th, td { padding: 6px 14px; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
tr:last-child > * { border-bottom: 0; }
th:first-child { text-align: left; font-weight: 500; }
thead th { color: var(--dim); font-weight: 500; }
`
