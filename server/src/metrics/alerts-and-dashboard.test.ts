import { readFileSync } from "node:fs"
import { join } from "node:path"
import { backUp, backupFile } from "@envkeep/testing/commands.ts"
import { newStoreLocation } from "@envkeep/testing/database.ts"
import { eventually } from "@envkeep/testing/eventually.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import type { Page } from "@envkeep/testing/prometheus.ts"
import { type Expression, readExpression, type Selector } from "@envkeep/testing/promql.ts"
import { serverWithMetrics } from "@envkeep/testing/server-with-metrics.ts"
import { expect, vi } from "vitest"
import { parse } from "yaml"

// The alerts and the dashboard in deploy/, checked against the page of a real server.

interface Panel {
  id: number
  type: string
  title: string
  description?: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: { expr: string; legendFormat: string; datasource: { uid: string } }[]
}

interface Dashboard {
  __inputs: { name: string; type: string; pluginId: string }[]
  templating: { list: { query: { query: string } }[] }
  panels: Panel[]
}

const read = (path: string) => readFileSync(join(import.meta.dirname, "../../..", path), "utf8")
const guide = read("docs/self-hosting.md")
const dashboard: Dashboard = JSON.parse(read("deploy/envkeep-dashboard.json"))
const targets = dashboard.panels.flatMap(({ title, targets = [] }) => targets.map((target) => ({ title, ...target })))
const alerts: { groups: { rules: { alert: string; expr: string }[] }[] } = parse(read("deploy/envkeep-alerts.yaml"))

/** Prometheus adds these two to what it scrapes, and `up`. */
const ofPrometheus = ["instance", "job"]
/** Which values a page has depends on what was asked for. */
const openLabels = ["status", "method", ...ofPrometheus]

/** With all metrics that a server can have: those of mail, of a backup and of several processes too. */
async function fullPage(): Promise<Page> {
  const location = await newStoreLocation()
  const env = { PUBLIC_URL: "http://localhost:3000", SMTP_URL: "smtp://127.0.0.1:9?tls=off", ENVKEEP_WORKERS: "2" }
  const { read, metrics } = await serverWithMetrics(env, location)
  await (await read()).text()
  await backUp(location, await backupFile())
  return vi.waitFor(async () => {
    const page = await metrics()
    expect(page.value("envkeep_workers")).toBe(2)
    return page
  }, eventually)
}

testOnce(
  "every expression of the alerts and the dashboard names metrics, labels and values that the page has",
  async () => {
    const page = await fullPage()
    const all = [
      ...alerts.groups.flatMap(({ rules }) => rules.map(({ alert, expr }) => ({ where: alert, expr, legend: "" }))),
      ...targets.map(({ title, expr, legendFormat }) => ({ where: title, expr, legend: legendFormat })),
    ]
    for (const { where, expr, legend } of all) {
      const asked = readExpression(expr)
      for (const selector of asked.selectors)
        expect([where, faultOf(selector, asked, page)]).toEqual([where, undefined])
      const shown = Array.from(legend.matchAll(/\{\{(\w+)\}\}/g), ([, label]) => label)
      expect([where, asked.grouped]).toEqual([where, expect.arrayContaining(shown)])
    }
    for (const { query } of dashboard.templating.list) {
      expect(page.names).toContain(/^label_values\((\w+), instance\)$/.exec(query.query)?.[1])
    }
  },
)

/** What the page does not have of what is asked for. */
function faultOf({ name, matchers }: Selector, { grouped }: Expression, page: Page): string | undefined {
  if (name === "up") return undefined
  const family = name.replace(/_bucket$/, "")
  if (!page.names.includes(family)) return `there is no metric ${family}`
  const series = page.seriesOf(name)
  // What the page has only after a fault, or with PostgreSQL, the guide describes.
  const described = new RegExp(`^\\| \`${family}\` \\| (.*) \\|$`, "m").exec(guide)?.[1] ?? ""
  const hasLabel = (label: string) =>
    ofPrometheus.includes(label) ||
    (series.length > 0 ? series.every((labels) => label in labels) : described.includes(`\`${label}\``))
  const unknown = [...grouped, ...matchers.map(({ label }) => label)].find((label) => !hasLabel(label))
  if (unknown !== undefined) return `${name} has no label ${unknown}`
  const fixed = matchers.filter(({ label }) => !openLabels.includes(label))
  const isAsked = (labels: Record<string, string>) =>
    fixed.every(({ label, operator, value }) => {
      const given = labels[label] ?? ""
      return operator === "=" ? given === value : new RegExp(`^(?:${value})$`).test(given)
    })
  return series.length === 0 || series.some(isAsked) ? undefined : `${name} has no series that is asked for`
}

testOnce("the dashboard asks for its data source when it is imported, and its panels do not overlap", () => {
  expect(dashboard.__inputs).toMatchObject([{ name: "DS_PROMETHEUS", type: "datasource", pluginId: "prometheus" }])
  for (const { title, datasource } of targets) expect(datasource.uid, title).toMatch(/^\$\{DS_PROMETHEUS\}$/)
  expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length)
  const taken = new Set<string>()
  for (const { title, gridPos } of dashboard.panels) {
    expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24)
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        expect(taken.has(`${x} ${y}`), `${title} overlaps`).toBe(false)
        taken.add(`${x} ${y}`)
      }
    }
  }
})
