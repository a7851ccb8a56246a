import type { Language } from "./highlight.ts"

interface Sample {
  title: string
  text: string
  language: Language
  code: string
}

/** The usage guide of the client package, for the server at `origin`. */
export function samples(origin: string): Sample[] {
  return [
    {
      title: "Install",
      text: "No dependencies of its own, under 10 kB, types included.",
      language: "sh",
      code: "npm install envkeep",
    },
    {
      title: "Name the server and the key",
      text: "Two settings, from wherever your app gets its own. The key reads one environment and nothing else.",
      language: "sh",
      code: `export ENVKEEP_URL=${origin}\nexport ENVKEEP_KEY=ek_your_api_key`,
    },
    {
      title: "Fetch",
      text: "One request. When it fails, it says why in a plain sentence.",
      language: "ts",
      code: 'import { load } from "envkeep"\n\nconst env = await load()\nconst url = env.get("DATABASE_URL")',
    },
    {
      title: "Apply to the process",
      text: "Puts every variable into process.env. Names that are already there win, unless you say otherwise.",
      language: "ts",
      code: "env.apply()\n\n// replace what is already set\nenv.apply({ override: true })",
    },
    {
      title: "Save to a file",
      text: "Written in one step and readable by its owner only, so a reader never meets half a file.",
      language: "ts",
      code: 'await env.save(".env")',
    },
    {
      title: "Get them as JSON",
      text: "For configuration libraries, or to look a name up yourself.",
      language: "ts",
      code: 'const variables = env.json()\n// { "DATABASE_URL": "postgres://db/app", "PORT": "8080" }',
    },
    {
      title: "Get them as a raw string",
      text: "One name=value a line, the same text that the raw dialog of an environment shows.",
      language: "ts",
      code: "const text = env.raw()\n// DATABASE_URL=postgres://db/app\n// PORT=8080",
    },
    {
      title: "Or change no code at all",
      text: "The command line starts your program with the variables in place. Signals and exit codes pass through.",
      language: "sh",
      code: [
        "# start a program, and again whenever a value changes",
        "npx envkeep run -- node server.js",
        "npx envkeep run --watch -- node server.js",
        "",
        "# print, save, and check the key",
        "npx envkeep print --format json",
        "npx envkeep save .env",
        "npx envkeep check",
      ].join("\n"),
    },
  ]
}
