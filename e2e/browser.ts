import type { PlaywrightTestConfig } from "@playwright/test"

/** The Chromium of this machine. It can reach our server and nothing else. */
export const browser: NonNullable<PlaywrightTestConfig["use"]> = {
  browserName: "chromium",
  viewport: { width: 1280, height: 800 },
  permissions: ["clipboard-read", "clipboard-write"],
  launchOptions: {
    executablePath: process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-default-apps",
      "--disable-sync",
      "--no-first-run",
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
    ],
  },
}
