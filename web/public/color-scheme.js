// Runs before the first paint, so that a dark screen does not flash white. A file of its own: the security policy
// refuses inline scripts.
;(() => {
  let chosen = null
  try {
    chosen = localStorage.getItem("mantine-color-scheme-value")
  } catch {
    // A browser that keeps no storage for us follows the system.
  }
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"
  document.documentElement.setAttribute(
    "data-mantine-color-scheme",
    chosen === "dark" || chosen === "light" ? chosen : system,
  )
})()
