import { formatNames, type SecretNames, secretNamesFault } from "@envkeep/formats"
import type { Snapshot } from "./cache.ts"
import type { Env } from "./env.ts"
import { readSnapshot } from "./environment.ts"
import type { Given } from "./given.ts"
import type { Format } from "./index.ts"
import { followEnvironment } from "./live.ts"
import { printMessage } from "./messages.ts"
import { Misuse, readNames, readNumber } from "./options.ts"
import { printable } from "./output.ts"
import { printers } from "./printers.ts"
import { applyToProcess } from "./process-env.ts"
import { checkNames, select } from "./select.ts"
import type { Settings } from "./settings.ts"
import { findTarget, serverOption, type Target } from "./target.ts"
import { passChanges } from "./watch-changes.ts"

// The variables for run, print, save and pull: by the API key of one environment, or by a login.

export interface Selection {
  revision: number | undefined
  only: string[] | undefined
  except: string[] | undefined
}

export function readSelection(given: Given): Selection {
  return {
    only: readNames("--only", given.list("only")),
    except: readNames("--except", given.list("except")),
    revision: readNumber("--revision", given.text("revision")),
  }
}

/** A key wins, because it says exactly which environment it is for. */
export function hasKey(given: Given): boolean {
  const isSet = Boolean(process.env["ENVKEEP_KEY"])
  if (isSet && ["collection", "environment"].some((option) => given.text(option) !== undefined)) {
    throw new Misuse("ENVKEEP_KEY is for one environment: unset it, or leave --collection and --environment out")
  }
  return isSet
}

export async function loadWithWarnings(given: Given, selection: Selection): Promise<Env> {
  const env = await loadByKeyOrLogin(given, selection)
  const { source, savedAt, revision } = env
  if (source === "cache" && savedAt !== undefined) {
    const age = `revision ${revision}, saved ${ageOf(Date.now() - savedAt)}`
    printMessage(`the server cannot be reached: using the last good values, ${age}`)
  }
  warnOfDamaged(env)
  return env
}

/** As "3 hours ago". A clock that was set back makes an entry of the future, which is not older than now. */
function ageOf(ms: number): string {
  const minutes = Math.floor(Math.max(0, ms) / 60_000)
  const [count, unit] =
    minutes < 60
      ? [minutes, "minute"]
      : minutes < 48 * 60
        ? [Math.floor(minutes / 60), "hour"]
        : [Math.floor(minutes / 1_440), "day"]
  return `${count} ${unit}${count === 1 ? "" : "s"} ago`
}

export function warnOfDamaged({ damaged }: Env): void {
  if (damaged.length > 0) printMessage(`left out, damaged on the server: ${damaged.map(printable).join(", ")}`)
}

async function loadByKeyOrLogin(given: Given, selection: Selection): Promise<Env> {
  if (!hasKey(given)) return envOf(await findTarget(given), selection)
  const { load } = await import("./index.ts")
  return load({ ...selection, url: serverOption(given) })
}

export async function envOf(target: Target, { only, except = [], revision }: Selection): Promise<Env> {
  const settings = { only, except, warn: printMessage }
  const whole = await readSnapshot(target, revision)
  checkNames(settings, whole)
  return createEnv(target, settings, whole)
}

function createEnv(target: Target, settings: Pick<Settings, "only" | "except" | "warn">, whole: Snapshot): Env {
  const { variables, ...rest } = select(settings, whole)
  const values = new Map(variables.map(({ name, value }) => [name, value]))
  return {
    ...rest,
    ...printers(variables),
    variables,
    get: (name) => values.get(name),
    json: () => Object.fromEntries(values),
    apply: ({ override = false } = {}) => applyToProcess(variables, override),
    watch: (onChange, onEnd = () => undefined) =>
      followEnvironment(target, {
        read: () => readSnapshot(target, undefined),
        onRead: passChanges(settings, whole, (next) => onChange(createEnv(target, settings, next))),
        onEnd,
      }),
  }
}

/** How to write them. */
export interface Printing {
  format: Format
  secret: SecretNames
}

export function readPrinting(given: Given): Printing {
  const wanted = given.text("format") ?? "dotenv"
  const format = formatNames.find((name) => name === wanted)
  if (format === undefined) throw new Misuse(`the formats are ${formatNames.join(", ")}`)
  const [name, namespace] = [given.text("name"), given.text("namespace")]
  for (const [option, value] of Object.entries({ name, namespace })) {
    if (value !== undefined && format !== "k8s") throw new Misuse(`--${option} is for --format k8s`)
  }
  const secret = { name, namespace }
  const fault = secretNamesFault(secret)
  if (fault !== undefined) throw new Misuse(fault)
  return { format, secret }
}
