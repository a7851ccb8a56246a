import { createHash } from "node:crypto"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import react from "@vitejs/plugin-react"
import { build, type InlineConfig, type Rolldown } from "vite"

// Builds the app, then the landing page as HTML: a guest reads it before any script, and uses it with a small one.

const root = import.meta.dirname
const dist = join(root, "dist")
const shared: InlineConfig = { root, logLevel: "warn" }

const app = filesOf(await build(shared))
const page = filesOf(
  await build({
    ...shared,
    configFile: false,
    publicDir: false,
    build: {
      emptyOutDir: false,
      assetsInlineLimit: 0,
      rolldownOptions: { input: { landing: join(root, "src/first-page/main.ts") } },
    },
  }),
)
// In node_modules, where the packages that it imports are found.
const rendererFolder = join(root, "../node_modules/.cache/envkeep-landing")
await build({
  ...shared,
  configFile: false,
  publicDir: false,
  build: { outDir: rendererFolder, emptyOutDir: true, ssr: join(root, "src/first-page/render.tsx") },
  plugins: [react()],
  ssr: { noExternal: /^@mantine\// },
})
const { renderFirstPage, landingTitle } = (await import(
  pathToFileURL(join(rendererFolder, "render.js")).href
)) as typeof import("./src/first-page/render.tsx")

/** A chat program that shows a link takes the picture from a whole address only. */
const ofThisServer = [
  '<meta name="envkeep-origin" content="__ENVKEEP_ORIGIN__" />',
  '<meta property="og:type" content="website" />',
  '<meta property="og:url" content="__ENVKEEP_ORIGIN__/" />',
  '<meta property="og:image" content="__ENVKEEP_ORIGIN__/card.png" />',
  '<meta property="og:image:alt" content="Envkeep: environment variables, kept in one place" />',
  '<meta name="twitter:card" content="summary_large_image" />',
]

const script = named(page, /\.js$/)
const styleSheet = named(page, /\.css$/)
for (const [name, canRegister] of [
  ["landing-open.html", true],
  ["landing-closed.html", false],
] as const) {
  const { content, rules } = renderFirstPage(canRegister)
  const html = landingPage({ content, rules, darkSheet: writeDarkSheet(rules) })
  for (const [, file = ""] of html.matchAll(/"(\/assets\/[^"\s]+)"/g)) {
    if (!existsSync(join(dist, file))) throw new Error(`${name} refers to ${file}, which was not built`)
  }
  writeFileSync(join(dist, name), html)
}

/** The page of the app, with the landing page in the place of the app. */
function landingPage({ content, rules, darkSheet }: { content: string; rules: string; darkSheet: string }): string {
  const head = [
    `<link rel="stylesheet" href="/${styleSheet}" />`,
    `<style>${rules}</style>`,
    // Without scripts the theme is that of the system, and what needs a script is not there.
    `<noscript><link rel="stylesheet" media="(prefers-color-scheme: dark)" href="/${darkSheet}" />`,
    "<style>[data-switch-to], .code-sample__copy { visibility: hidden }</style></noscript>",
    `<script type="module" src="/${script}" data-app="${firstFilesOf(app).join(" ")}"></script>`,
  ]
  const changes: [from: string | RegExp, to: string][] = [
    ['<html lang="en">', '<html lang="en" data-mantine-color-scheme="light">'],
    [/<title>.*<\/title>/, `<title>${landingTitle}</title>`],
    ["  </head>", `    ${head.join("\n    ")}\n  </head>`],
    ['<div id="root"></div>', `<div id="root">${content}</div>`],
    [/\s*<noscript>Envkeep needs.*<\/noscript>/, ""],
    [/\s*<script type="module" src="\/src.*<\/script>/, ""],
    [/(property="og:title" content=")[^"]*/, `property="og:title" content="${landingTitle}`],
    ['<link rel="icon"', `${ofThisServer.join("\n    ")}\n    <link rel="icon"`],
  ]
  return changes.reduce(
    (html, [from, to]) => {
      if (html.search(from) === -1) throw new Error(`index.html has no ${from}`)
      return html.replace(from, () => to)
    },
    readFileSync(join(root, "index.html"), "utf8"),
  )
}

/** Only a script can say on the page that it is dark. Without one, the rules for light and dark change places. */
function writeDarkSheet(rules: string): string {
  const other = { light: "dark", dark: "light" } as const
  const swapped = (readFileSync(join(dist, styleSheet), "utf8") + rules).replaceAll(
    /(\[data-mantine-color-scheme=["']?)(light|dark)/g,
    (_, before: string, scheme: keyof typeof other) => before + other[scheme],
  )
  const file = `assets/landing-dark-${createHash("sha256").update(swapped).digest("base64url").slice(0, 8)}.css`
  writeFileSync(join(dist, file), swapped)
  return file
}

type File = Rolldown.OutputChunk | Rolldown.OutputAsset

function filesOf(result: Awaited<ReturnType<typeof build>>): File[] {
  if (!("output" in result)) throw new Error("The build has no single output")
  return result.output
}

function named(files: File[], pattern: RegExp): string {
  const found = files.filter(({ fileName }) => pattern.test(fileName))
  if (found.length !== 1) throw new Error(`Expected one file like ${pattern}, found ${found.length}`)
  return found[0]?.fileName ?? ""
}

/** What the app loads first, whichever screen it shows. */
function firstFilesOf(files: File[]): string[] {
  const html = files.find(({ fileName }) => fileName === "index.html")
  const source = html?.type === "asset" ? String(html.source) : ""
  return [...source.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, file = ""]) => file)
}
