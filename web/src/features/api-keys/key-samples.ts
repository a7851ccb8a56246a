import type { Language } from "../../ui/highlight.ts"

interface Step {
  title: string
  language: Language
  code: string
}

export interface KeySample {
  name: string
  text: string
  steps: Step[]
}

/** What the samples are made of. */
interface Parts {
  origin: string
  key: string
  /** A line that sets the server and the key in a shell. */
  settings: string
  /** Reads the variables in a format, where these are set. */
  curl: (format: string) => string
}

/** How to read an environment from the server at `origin` with this key: each way complete, ready to be pasted. */
export function keySamples({ origin, key }: { origin: string; key: string }): KeySample[] {
  // Most shells can leave lines that start with a space out of their history.
  const settings = ` export ENVKEEP_URL=${origin} \\\nENVKEEP_KEY=${key}`
  const curl = (format: string) =>
    `curl -fsS -H "Authorization: Bearer $ENVKEEP_KEY" \\\n"$ENVKEEP_URL/api/v1/variables?format=${format}"`
  const parts = { origin, key, settings, curl }
  return [curlSample, runSample, nodeSample, dockerSample, githubSample, pythonSample].map((sample) => sample(parts))
}

function curlSample({ settings, curl }: Parts): KeySample {
  return {
    name: "curl",
    text: "Prints the variables. It needs nothing but curl.",
    steps: [{ title: "curl", language: "sh", code: lines(settings, curl("dotenv")) }],
  }
}

function runSample({ settings }: Parts): KeySample {
  return {
    name: "envkeep run",
    text: "Starts any program with the variables set. npx gets the command from this server.",
    steps: [
      {
        title: "envkeep run",
        language: "sh",
        code: lines(settings, 'npx --yes --package "$ENVKEEP_URL/envkeep.tgz" envkeep run -- node app.js'),
      },
    ],
  }
}

function nodeSample({ settings }: Parts): KeySample {
  return {
    name: "Node",
    text: "Install the package from this server, and load the variables where your program starts.",
    steps: [
      { title: "Install the package", language: "sh", code: lines(settings, 'npm install "$ENVKEEP_URL/envkeep.tgz"') },
      {
        title: "ES module",
        language: "ts",
        code: lines(
          'import { load } from "envkeep"',
          "",
          "const env = await load()",
          "env.apply() // now they are in process.env",
          'console.log(env.variables.length, "variables")',
        ),
      },
      {
        title: "CommonJS",
        language: "ts",
        code: lines(
          'const { load } = require("envkeep")',
          "",
          "load().then((env) => {",
          "  env.apply() // now they are in process.env",
          '  console.log(env.variables.length, "variables")',
          "})",
        ),
      },
    ],
  }
}

function dockerSample({ settings, curl }: Parts): KeySample {
  return {
    name: "Docker",
    text: "Works with any image: the variables go into a file that only you can read, and from there into the container.",
    steps: [
      {
        title: "Docker",
        language: "sh",
        code: lines(
          settings,
          `(umask 077 && ${curl("docker")} -o app.env) &&`,
          "docker run --rm --env-file app.env your-image",
        ),
      },
    ],
  }
}

function githubSample({ origin, key }: Parts): KeySample {
  return {
    name: "GitHub Actions",
    text: "The key becomes a secret of your repository. The workflow reads the variables when it runs.",
    steps: [
      { title: "Store the key as a secret", language: "sh", code: ` gh secret set ENVKEEP_KEY <<< ${key}` },
      {
        title: "Workflow",
        language: "yaml",
        code: lines(
          "on: push",
          "jobs:",
          "  deploy:",
          "    runs-on: ubuntu-latest",
          "    env:",
          `      ENVKEEP_URL: ${origin}`,
          `      ENVKEEP_KEY: \${{ secrets.ENVKEEP_KEY }}`,
          "    steps:",
          "      - uses: actions/checkout@v4",
          '      - run: npx --yes --package "$ENVKEEP_URL/envkeep.tgz" envkeep run -- ./deploy.sh',
        ),
      },
    ],
  }
}

function pythonSample({ settings }: Parts): KeySample {
  return {
    name: "Python",
    text: "Needs only the standard library.",
    steps: [
      { title: "Set the server and the key", language: "sh", code: settings },
      {
        title: "Python",
        language: "py",
        code: lines(
          "import json, os, urllib.request",
          "",
          "request = urllib.request.Request(",
          '    os.environ["ENVKEEP_URL"] + "/api/v1/variables",',
          '    headers={"Authorization": "Bearer " + os.environ["ENVKEEP_KEY"]},',
          ")",
          "with urllib.request.urlopen(request) as answer:",
          "    variables = json.load(answer)",
          "os.environ.update(variables)",
          'print(f"{len(variables)} variables")',
        ),
      },
    ],
  }
}

const lines = (...list: string[]) => list.join("\n")
