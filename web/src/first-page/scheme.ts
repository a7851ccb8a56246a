import { showThemeColor } from "../app/theme-color.ts"

type Scheme = "light" | "dark"

/** Where Mantine keeps the choice, so that it holds in the app too. */
const key = "mantine-color-scheme-value"
const systemIsDark = matchMedia("(prefers-color-scheme: dark)")

/** Switches between light and dark as `useColorSchemeSwitch` does. color-scheme.js has shown the first one. */
export function handleScheme(): void {
  showThemeColor(currentScheme())
  for (const button of document.querySelectorAll<HTMLElement>("[data-switch-to]")) {
    button.addEventListener("click", () => choose(button.dataset["switchTo"] === "dark" ? "dark" : "light"))
  }
  systemIsDark.addEventListener("change", () => show(currentScheme()))
  // Chosen in another tab.
  addEventListener("storage", (event) => event.key === key && show(currentScheme()))
}

function currentScheme(): Scheme {
  const chosen = read()
  return chosen === "light" || chosen === "dark" ? chosen : systemScheme()
}

function systemScheme(): Scheme {
  return systemIsDark.matches ? "dark" : "light"
}

/** Choosing the system's own scheme follows the system again. */
function choose(scheme: Scheme): void {
  write(scheme === systemScheme() ? "auto" : scheme)
  show(scheme)
  // The button that was pressed is hidden now.
  document.querySelector<HTMLElement>(`[data-switch-to="${scheme === "dark" ? "light" : "dark"}"]`)?.focus()
}

function show(scheme: Scheme): void {
  document.documentElement.setAttribute("data-mantine-color-scheme", scheme)
  showThemeColor(scheme)
}

function read(): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

function write(scheme: Scheme | "auto"): void {
  try {
    localStorage.setItem(key, scheme)
  } catch {
    // Without storage the choice holds for this page.
  }
}
