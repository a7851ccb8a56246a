import { hostname } from "node:os"

/** Longer ones would be cut by the server. */
const maxLabelLength = 100

/** Tells processes with the same label apart. */
const ownId = Math.random().toString(36).slice(2, 10)

/** The header by which the server shows who runs which revision. Undefined if it is switched off. */
export function instanceHeader(given: unknown): string | undefined {
  const { ENVKEEP_INSTANCE, npm_package_name: app } = process.env
  const label = String(given ?? (ENVKEEP_INSTANCE || hostname() + (app ? `/${app}` : "")))
  return label === "off" ? undefined : `${encodeURIComponent(label.slice(0, maxLabelLength).toWellFormed())};${ownId}`
}
