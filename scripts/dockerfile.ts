export interface Stage {
  name: string
  from: string
  steps: Step[]
}

export interface Step {
  word: string
  rest: string
}

const known = ["COPY", "RUN", "WORKDIR", "ENV", "LABEL", "USER", "VOLUME", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT"]

/** The stages of a Dockerfile, as far as ours uses that language; what it does not know, it refuses. */
export function parseDockerfile(text: string): Stage[] {
  const lines = text
    .split("\n")
    .filter((line) => !line.startsWith("#"))
    .join("\n")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line.trim() !== "")
  const given = new Map<string, string>()
  const stages: Stage[] = []
  for (const line of lines) {
    const [word = ""] = line.split(" ", 1)
    const rest = line.slice(word.length).trim()
    if (word === "ARG" && stages.length === 0) given.set(...pair(rest))
    else if (word === "FROM") stages.push(stageOf(rest, given, stages.length))
    else if (known.includes(word)) stages.at(-1)?.steps.push({ word, rest })
    else throw new Error(`The Dockerfile has a line that is not known here: ${line}`)
  }
  return stages
}

/** The words of an instruction in its exec form, which no shell stands in front of. */
export function execForm(stage: Stage, word: "ENTRYPOINT" | "HEALTHCHECK"): string[] {
  const { rest = "" } = stage.steps.find((step) => step.word === word) ?? {}
  return JSON.parse(rest.slice(rest.indexOf("["))) as string[]
}

export function environmentOf(stage: Stage): Record<string, string> {
  const pairs = stage.steps.filter(({ word }) => word === "ENV").flatMap(({ rest }) => rest.split(/\s+/))
  return Object.fromEntries(pairs.map(pair))
}

function stageOf(rest: string, given: Map<string, string>, number: number): Stage {
  const [image = "", , name = String(number)] = rest.split(" ")
  return { name, from: image.replace(/^\$\{(\w+)\}$/, (_, key: string) => given.get(key) ?? ""), steps: [] }
}

function pair(text: string): [string, string] {
  const at = text.indexOf("=")
  return [text.slice(0, at), text.slice(at + 1)]
}
