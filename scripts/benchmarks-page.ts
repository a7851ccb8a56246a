import { readFileSync } from "node:fs"
import { join } from "node:path"
import { escapeHtml } from "../server/src/escape-html.ts"
import { pageStyle } from "../server/src/http/docs-page.ts"

const results = join(import.meta.dirname, "../bench/results.md")

/** The results of `npm run bench` as a page, for the landing page to link to. */
export function benchmarksPage(): string {
  const blocks = readFileSync(results, "utf8")
    .trim()
    .split(/\n{2,}/)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>How Envkeep was measured</title>
<style>${pageStyle}${tableStyle}</style>
</head>
<body>
<header><a href="/">Envkeep</a></header>
<main>
${blocks.map(toHtml).join("\n")}
</main>
</body>
</html>
`
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
body { max-width: 1100px; } h1 { margin-top: 16px; } p { max-width: 860px; }
.table { overflow-x: auto; } table { border-collapse: collapse; font-size: 14px; font-variant-numeric: tabular-nums; }
th, td { padding: 6px 12px; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; } th:first-child { text-align: left; font-weight: 500; }
thead th { color: var(--dim); font-weight: 500; }
`
