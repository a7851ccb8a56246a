import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from "@mantine/core"

/** Verdigris, the colour of an old copper roof. */
const keep: MantineColorsTuple = [
  "#e8f7f8",
  "#cdecef",
  "#9edae0",
  "#66c5cf",
  "#38b2bf",
  "#17919e",
  "#0c7985",
  "#0a6470",
  "#094f59",
  "#073b43",
]

const gray: MantineColorsTuple = [
  "#f6f8f9",
  "#eef2f3",
  "#e2e8ea",
  "#d2dadd",
  "#b4c0c5",
  "#8d9ba2",
  "#56646b",
  "#414e55",
  "#2b363c",
  "#131a1d",
]

const dark: MantineColorsTuple = [
  "#e4eaec",
  "#bdc7cb",
  "#9aa7ad",
  "#6b7880",
  "#3a454b",
  "#2a3439",
  "#1b2327",
  "#0e1315",
  "#0a0e10",
  "#060809",
]

export const theme = createTheme({
  primaryColor: "keep",
  primaryShade: { light: 7, dark: 6 },
  colors: { keep, gray, dark },
  black: "#131a1d",
  // Not `system-ui`: on Linux that is often a font that is hard to read.
  fontFamily: '-apple-system, "Segoe UI Variable Text", "Segoe UI", Inter, Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace:
    'ui-monospace, SFMono-Regular, "SF Mono", Menlo, "Cascadia Mono", Consolas, "JetBrains Mono", "Liberation Mono", monospace',
  headings: {
    fontWeight: "650",
    textWrap: "pretty",
    sizes: {
      h1: { fontSize: "1.75rem", lineHeight: "1.2" },
      h2: { fontSize: "1.25rem", lineHeight: "1.3" },
      h3: { fontSize: "1rem", lineHeight: "1.4" },
    },
  },
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
})

/** Mantine's own shades have too little contrast for small text and field borders. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-error": "#c01f2e",
    "--mantine-color-placeholder": "#5f6d74",
    "--mantine-color-dimmed": "#56646b",
    "--mantine-color-default-border": "#c9d2d6",
    "--field-border": "#7a888f",
    "--mantine-color-red-filled": "#c92a35",
    "--mantine-color-red-filled-hover": "#a81f2a",
    "--mantine-color-red-light-color": "#a81f2a",
  },
  dark: {
    "--mantine-color-error": "#ff8a8a",
    "--mantine-color-placeholder": "#8b989e",
    "--mantine-color-dimmed": "#9aa7ad",
    "--mantine-color-default-border": "#333e44",
    "--field-border": "#6b7880",
    "--mantine-color-red-filled": "#c92a35",
    "--mantine-color-red-filled-hover": "#d4323e",
    "--mantine-color-red-light-color": "#ff9c9c",
  },
})
