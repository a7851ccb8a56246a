import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { chromium } from "@playwright/test"
import { installSystemPackages } from "./packages.ts"

/** Chromium without windows: the same engine, and journeys take three quarters of the time. */
const shell = "/usr/bin/chromium-headless-shell"
const installed = [shell, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]

/** The path of a Chromium for the journeys: CHROMIUM_PATH, the system's package, an installed one, or Playwright's own. */
export function findChromium(): string {
  const given = process.env["CHROMIUM_PATH"]
  if (given) return given
  const found = () => [...installed, chromium.executablePath()].find((path) => existsSync(path))
  if (!existsSync(shell)) installSystemPackages(["chromium-headless-shell"])
  const here = found() ?? (installSystemPackages(["chromium"]) ? found() : undefined)
  if (here !== undefined) return here

  spawnSync("playwright", ["install", "chromium"], { stdio: "inherit" })
  const downloaded = found()
  if (downloaded === undefined) {
    throw new Error("The journeys need Chromium: install it, or set CHROMIUM_PATH to one")
  }
  return downloaded
}
