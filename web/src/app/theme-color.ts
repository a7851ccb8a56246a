const themeColors = { light: "#ffffff", dark: "#0e1315" }

/** The colour of the browser bar on a phone. index.html sets it for the preference of the system only. */
export function showThemeColor(scheme: "light" | "dark"): void {
  for (const meta of document.querySelectorAll('meta[name="theme-color"]')) {
    meta.setAttribute("content", themeColors[scheme])
  }
}
