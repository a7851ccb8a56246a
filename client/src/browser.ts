import { spawn } from "node:child_process"

/** Tries to open an address. A machine without a browser is fine: the address is printed too. */
export function openBrowser(address: string): Promise<boolean> {
  const [program, ...args] = openerFor(address)
  if (program === undefined) return Promise.resolve(false)
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: "ignore", detached: true })
    child.once("error", () => resolve(false))
    child.once("spawn", () => resolve(true))
    child.unref()
  })
}

function openerFor(address: string): string[] {
  const { BROWSER, DISPLAY, WAYLAND_DISPLAY } = process.env
  if (BROWSER === "none") return []
  if (BROWSER) return [BROWSER, address]
  if (process.platform === "darwin") return ["open", address]
  // `start` would be a part of the shell, which reads an address as more than one word.
  if (process.platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler", address]
  return DISPLAY || WAYLAND_DISPLAY ? ["xdg-open", address] : []
}
