import type { Language } from "../../ui/highlight.ts"

interface Sample {
  title: string
  text: string
  /** Small print below the text. */
  detail?: string
  language: Language
  code: string
}

/** The usage guide: for the server at `origin`, which hands out a client package of this integrity. */
export function samples(origin: string, integrity = ""): Sample[] {
  return [
    {
      title: "Set the server and the key",
      text: "Two settings, next to the others of your app. The key can read one environment and nothing else.",
      language: "sh",
      code: `export ENVKEEP_URL=${origin}\nexport ENVKEEP_KEY=ek_your_api_key`,
    },
    {
      title: "Read them with curl",
      text: "It needs nothing else. Ask for JSON, .env, shell, Docker, systemd, Kubernetes and other formats.",
      language: "sh",
      code: [
        'curl -fsS -H "Authorization: Bearer $ENVKEEP_KEY" \\',
        '"$ENVKEEP_URL/api/v1/variables?format=dotenv"',
      ].join("\n"),
    },
    {
      title: "Install the package",
      text: "This server hands it out: under 20 kB, no dependencies, types included. npm writes its integrity into your lockfile.",
      ...(integrity !== "" && { detail: integrity }),
      language: "sh",
      code: `npm install ${origin}/envkeep.tgz`,
    },
    {
      title: "Fetch",
      text: "One request. If it fails, the error says why.",
      language: "ts",
      code: 'import { load } from "envkeep"\n\nconst env = await load()\nconst url = env.get("DATABASE_URL")',
    },
    {
      title: "Apply to the process",
      text: "Copies every variable into process.env. Names that are already set win, unless you say otherwise.",
      language: "ts",
      code: "env.apply()\n\n// replace what is already set\nenv.apply({ override: true })",
    },
    {
      title: "Save to a file",
      text: "Written in one step and readable only by its owner, so no program ever reads half a file.",
      language: "ts",
      code: 'await env.save(".env")',
    },
    {
      title: "Get them as JSON",
      text: "For configuration libraries, or to look up a name yourself.",
      language: "ts",
      code: 'const variables = env.json()\n// { "DATABASE_URL": "postgres://db/app", "PORT": "8080" }',
    },
    {
      title: "Get them as a raw string",
      text: "One name=value per line, the same text as in the raw dialog of an environment.",
      language: "ts",
      code: "const text = env.raw()\n// DATABASE_URL=postgres://db/app\n// PORT=8080",
    },
    {
      title: "Or use it without code changes",
      text: "The command line starts your program with the variables set. Signals and exit codes pass through.",
      language: "sh",
      code: [
        "# start a program; with --watch, restart it when a value changes",
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
