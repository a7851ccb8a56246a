import { spawnSync } from "node:child_process"
import { type Consumer, output, withFile } from "./consumer.ts"

// Absolute paths, because a variable may be called PATH.
const readings = {
  source: 'set -a; . "$1"; exec /usr/bin/env -0',
  eval: 'eval "$(/bin/cat "$1")"; exec /usr/bin/env -0',
}

export function shells(): Consumer[] {
  return ["sh", "bash", "dash"].flatMap((shell) =>
    Object.entries(readings).map(([how, script]) => ({
      name: `${shell}, by ${how}`,
      format: "shell" as const,
      read: (text: string) => withFile(text, (file) => pairs(output(pathOf(shell), ["-c", script, "sh", file]))),
    })),
  )
}

/** Python splits a shell's words without running any of them. Left out where Python is not installed. */
export function python(): Consumer[] {
  const program =
    "import json, shlex, sys; print(json.dumps(shlex.split(sys.stdin.buffer.read().decode('utf-8'))), end='')"
  const path = pathOf("python3")
  if (path === "") return []
  return [
    {
      name: "Python's shlex",
      format: "shell",
      read: (text) => {
        const words: string[] = JSON.parse(output(path, ["-c", program], text))
        return pairs(words.filter((_, at) => at % 2 === 1).join("\0"))
      },
    },
  ]
}

function pairs(text: string): Map<string, string> {
  const assignments = text.split("\0").filter((assignment) => assignment !== "")
  return new Map(
    assignments.map((assignment) => {
      const at = assignment.indexOf("=")
      return [assignment.slice(0, at), assignment.slice(at + 1)]
    }),
  )
}

/** Resolves the shims of version managers, which do not work with an empty environment. */
function pathOf(command: string): string {
  const script =
    command === "python3" ? 'python3 -c "import sys; print(sys.executable)"' : `command -v ${command} || true`
  return spawnSync("sh", ["-c", script], { encoding: "utf8" }).stdout.trim()
}
