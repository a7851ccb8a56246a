// Runs before the first paint, so that a dark screen does not flash white. In a file of its own, because the security
// policy forbids inline scripts.
;(() => {
  let chosen = null
  try {
    chosen = localStorage.getItem("mantine-color-scheme-value")
  } catch {
    // Without storage the page follows the system.
  }
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"
  document.documentElement.setAttribute(
    "data-mantine-color-scheme",
    chosen === "dark" || chosen === "light" ? chosen : system,
  )
})()
