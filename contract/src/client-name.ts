const browsers = [
  [/Edg(e|A|iOS)?\//, "Edge"],
  [/OPR\//, "Opera"],
  [/Firefox\/|FxiOS\//, "Firefox"],
  [/Chrome\/|CriOS\//, "Chrome"],
  [/Safari\//, "Safari"],
] as const

const systems = [
  [/Android/, "Android"],
  [/iPhone|iPad/, "iOS"],
  [/Windows/, "Windows"],
  [/Mac OS X|Macintosh/, "macOS"],
  [/Linux|X11/, "Linux"],
] as const

/** A browser as people call it, such as "Firefox on Linux"; of another program, its name and version. */
export function clientName(client: string): string {
  const find = (list: readonly (readonly [RegExp, string])[]) => list.find(([pattern]) => pattern.test(client))?.[1]
  if (!client.startsWith("Mozilla/")) return client.split(" ")[0] ?? ""
  const [browser, system] = [find(browsers) ?? "A browser", find(systems)]
  return system === undefined ? browser : `${browser} on ${system}`
}
