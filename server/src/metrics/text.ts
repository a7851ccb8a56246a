import type { Family, Labels } from "./family.ts"

export const contentType = "text/plain; version=0.0.4; charset=utf-8"

/** Prometheus's text format, version 0.0.4. */
export function metricsText(families: Family[]): string {
  return families.map(familyText).join("")
}

function familyText({ name, help, type, samples }: Family): string {
  const lines = [
    `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(({ suffix = "", labels, value }) => `${name}${suffix}${labelText(labels)} ${numberText(value)}`),
  ]
  return `${lines.join("\n")}\n`
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value)
  if (Number.isNaN(value)) return "NaN"
  return value > 0 ? "+Inf" : "-Inf"
}
