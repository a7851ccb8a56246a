// Masks the variables of an environment and hands them to the later steps of a job. On any failure nothing is handed over.

import { randomBytes } from "node:crypto"
import { appendFileSync, chmodSync, writeFileSync } from "node:fs"

const timeoutMs = 20_000

/** What the runner keeps for itself. It would ignore these or fail, so they are refused by name. */
const reserved = /^(GITHUB_|RUNNER_)|^(CI|NODE_OPTIONS)$/

try {
  const { text, revision } = await read({ format: "json" })
  const variables = chosen(JSON.parse(text))
  mask(variables)
  const file = input("file")
  if (file === "") setForLaterSteps(variables)
  else writePrivately(file, await textOf(variables, revision))
  say(`Envkeep: ${variables.length} variables`)
} catch (error) {
  say(`::error title=Envkeep::${escaped(error.message)}`)
  process.exitCode = 1
}

/** GitHub passes the inputs of an action in variables of this name. */
function input(name) {
  return (process.env[`INPUT_${name.toUpperCase()}`] ?? "").trim()
}

function list(name) {
  return input(name)
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean)
}

/** With a revision, the variables as they were then: what was masked is what is written. */
async function read(query) {
  const [url, key] = [input("url").replace(/\/+$/, ""), input("key")]
  if (!/^https?:\/\//.test(url)) throw new Error("url must start with http:// or https://")
  if (key === "") throw new Error("key is empty: is the secret set, and may this workflow read it?")
  say(`::add-mask::${escaped(key)}`)
  const answer = await fetch(`${url}/api/v1/variables?${new URLSearchParams(query)}`, {
    headers: { authorization: `Bearer ${key}` },
    // A redirect would carry the key to another server.
    redirect: "error",
    signal: AbortSignal.timeout(timeoutMs),
  }).catch(() => {
    throw new Error(`${url} cannot be reached`)
  })
  const text = await answer.text()
  if (answer.status === 401) throw new Error(`${url} refuses the API key`)
  if (!answer.ok) throw new Error(`${url} answered with status ${answer.status}: ${messageIn(text)}`)
  const damaged = answer.headers.get("envkeep-damaged")
  if (damaged !== null) throw new Error(`values are damaged on the server: ${damaged}`)
  return { text, revision: answer.headers.get("envkeep-revision") }
}

function messageIn(text) {
  try {
    return String(JSON.parse(text).msg)
  } catch {
    return "no message"
  }
}

function chosen(all) {
  const [only, except] = [list("only"), list("except")]
  const missing = only.filter((name) => !Object.hasOwn(all, name))
  if (missing.length > 0) throw new Error(`the environment has no ${missing.join(", ")}`)
  return Object.entries(all).filter(([name]) => (only.length === 0 || only.includes(name)) && !except.includes(name))
}

/** The runner masks line by line, so each line of a value is a secret of its own. */
function mask(variables) {
  for (const [, value] of variables) {
    for (const line of new Set(value.split(/\r\n|\r|\n/))) {
      if (line.trim() !== "") say(`::add-mask::${escaped(line)}`)
    }
  }
}

/** The delimiter is random, so that no value can end itself and add a variable. */
function setForLaterSteps(variables) {
  const file = process.env.GITHUB_ENV
  if (!file) throw new Error("GITHUB_ENV is not set: this runs in a workflow only")
  let text = ""
  for (const [name, value] of variables) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || reserved.test(name)) {
      throw new Error(`GitHub cannot set ${name}: leave it out with except, or write a file`)
    }
    const delimiter = `envkeep_${randomBytes(16).toString("hex")}`
    text += `${name}<<${delimiter}\n${value}\n${delimiter}\n`
  }
  appendFileSync(file, text)
}

async function textOf(variables, revision) {
  const format = input("format") || "dotenv"
  if (list("only").length + list("except").length === 0) return (await read({ format, revision })).text
  if (format !== "json") throw new Error("only and except work with the format json, or without a file")
  return `${JSON.stringify(Object.fromEntries(variables), null, 2)}\n`
}

function writePrivately(file, text) {
  // A file that is already there keeps its mode, so it is closed before the values go in.
  writeFileSync(file, "", { mode: 0o600 })
  chmodSync(file, 0o600)
  writeFileSync(file, text)
}

/** As the commands of the runner want it: one line. */
function escaped(text) {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A")
}

function say(line) {
  process.stdout.write(`${line}\n`)
}
