import type { Variable } from "@envkeep/formats"
import { api, type Call, Refusal } from "./api.ts"
import { confirm } from "./ask.ts"
import { type Environment, type Item, readEnvironment } from "./environment.ts"
import type { Given } from "./given.ts"
import { CommandError, printMessage } from "./messages.ts"
import { type Colour, mask, paint, printable, quoted, say } from "./output.ts"
import type { Target } from "./target.ts"

/** What differs between two lists. Null is a value that cannot be seen. */
export interface Change {
  name: string
  kind: "added" | "changed" | "removed"
  before: string | null | undefined
  after: string | null | undefined
}

type Values = ReadonlyMap<string, string | null>

/** Two values that cannot be seen may differ, so they are listed. */
export function changesBetween(before: Values, after: Values): Change[] {
  const changes: Change[] = []
  for (const [name, value] of after) {
    const earlier = before.get(name)
    if (earlier === undefined) changes.push({ name, kind: "added", before: undefined, after: value })
    else if (earlier === null || earlier !== value)
      changes.push({ name, kind: "changed", before: earlier, after: value })
  }
  for (const [name, value] of before) {
    if (!after.has(name)) changes.push({ name, kind: "removed", before: value, after: undefined })
  }
  return changes.toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

const marks: Record<Change["kind"], [mark: string, colour: Colour]> = {
  added: ["+", "green"],
  changed: ["~", "yellow"],
  removed: ["-", "red"],
}

export function printChanges(changes: readonly Change[], isShown: boolean, stream: NodeJS.WriteStream): string {
  const text = (value: string | null | undefined) =>
    value === null ? "(hidden)" : isShown ? quoted(value ?? "") : mask
  return changes
    .map(({ name, kind, before, after }) => {
      const [mark, colour] = marks[kind]
      const values = { added: text(after), changed: `${text(before)} -> ${text(after)}`, removed: text(before) }
      return `${paint(`${mark} ${printable(name)}=${values[kind]}`, colour, stream)}\n`
    })
    .join("")
}

/** Values only if they are asked for. */
export function asJson(changes: readonly Change[], isShown: boolean) {
  return changes.map(({ name, kind, before, after }) => (isShown ? { name, kind, before, after } : { name, kind }))
}

/** What a command is about to do to an environment. */
export interface Plan {
  set: readonly Variable[]
  remove: readonly string[]
  /** Only if the environment still has this revision, whatever has changed since. */
  isExact?: boolean
}

/** Shows what a plan changes, asks, and saves it as one revision. */
export async function carryOut(target: Target, environment: Environment, plan: Plan, given: Given): Promise<number> {
  const { set, remove } = withoutNeedless(environment, plan)
  const place = placeOf(target)
  if (set.length === 0 && remove.length === 0) {
    printMessage(`${place} holds this already: nothing to change`)
    return 0
  }
  const touched = new Set([...set.map(({ name }) => name), ...remove])
  const before = environment.items.filter(({ name }) => touched.has(name))
  const changes = changesBetween(
    new Map(before.map(({ name, value }) => [name, value])),
    new Map(set.map(({ name, value }) => [name, value])),
  )
  say(printChanges(changes, given.has("show"), process.stderr))
  if (!(await confirm(`Save this to ${place}${protectionOf(target)}?`, given.has("yes")))) {
    printMessage("nothing was changed")
    return 1
  }
  const isExact = plan.isExact === true
  const revision = await save(target, environment, { set, remove, isExact }, given.text("note"))
  const count = changes.length === 1 ? "1 change" : `${changes.length} changes`
  printMessage(`saved ${count} to ${place}${revision === undefined ? "" : `, now at revision ${revision}`}`)
  return 0
}

/** What is there already is not written, and neither is what the environment inherits with the same value. */
function withoutNeedless({ items, inherited }: Environment, { set, remove }: Plan): Plan {
  const own = new Map(items.map(({ name, value }) => [name, value]))
  const above = new Map(inherited.map(({ name, value }) => [name, value]))
  const isNew = ({ name, value }: Variable) => (own.has(name) ? own.get(name) !== value : above.get(name) !== value)
  return { set: set.filter(isNew), remove: remove.filter((name) => own.has(name)) }
}

const itemsPerSave = 1_000

/** In the call that touches the least: others may be changing other variables. The new revision, if the answer says it. */
async function save(target: Target, environment: Environment, plan: Plan, note?: string) {
  const { set, remove, isExact } = plan
  const query = (more: Record<string, string> = {}) => {
    const fields = new URLSearchParams({ ...more, ...(note === undefined ? {} : { note }) }).toString()
    return fields === "" ? "" : `?${fields}`
  }
  const { id } = target.environment
  const items = new Map(environment.items.map((item) => [item.name, item]))
  if (!isExact && remove.length === 0 && set.length <= itemsPerSave) {
    const body = set.map((variable) => {
      const item = items.get(variable.name)
      return item === undefined ? variable : { ...variable, id: item.id, revision: item.revision }
    })
    const call: Call = { method: "PUT", path: `/environments/${id}/items${query()}`, body }
    const saved = await api<Item[]>(target, call).catch(async (error) => {
      throw (await deletedSince(target, environment, set, error)) ?? withName(error, set)
    })
    return saved.find(({ name }) => name === set[0]?.name)?.revision
  }
  // A list cannot be empty, so the last variables are deleted one by one.
  const isEmptied = set.length === 0 && remove.length === items.size
  if (!isExact && set.length === 0 && (remove.length === 1 || isEmptied)) {
    for (const name of remove) {
      const item = items.get(name)
      const path = `/collectionItem/${item?.id}${query({ revision: String(item?.revision) })}`
      await api(target, { method: "DELETE", path })
    }
    return readRevision(target)
  }
  const after = new Map(environment.items.map(({ name, value }) => [name, value]))
  for (const { name, value } of set) after.set(name, value)
  for (const name of remove) after.delete(name)
  const unseen = Array.from(after).filter(([, value]) => value === null)
  if (unseen.length > 0) {
    const names = unseen.map(([name]) => JSON.stringify(name)).join(", ")
    throw new CommandError(`values that cannot be seen would be lost: ${names}`, "change one variable at a time")
  }
  const body = Array.from(after, ([name, value]) => ({ name, value }))
  const path = `/subcollection/${id}/bulk${query({ revision: String(environment.revision) })}`
  const saved = await api<{ revision: number }>(target, { method: "POST", path, body }).catch((error) => {
    throw withName(error, body)
  })
  return saved.revision
}

/** The answer to a deletion does not say it. The change is made, so a failure here is none of it. */
function readRevision(target: Target): Promise<number | undefined> {
  return readEnvironment(target).then(
    ({ revision }) => revision,
    () => undefined,
  )
}

/** What the server says about one of those that it was sent: its place, which no one sees, or only that it is too large. */
const aboutOne = /(?<=says: )(?:Item (\d+)(?=:)|One element of the body)/

function withName(error: unknown, sent: readonly { name: string }[]): unknown {
  if (!(error instanceof Refusal)) return error
  const size = (variable: { name: string }) => Buffer.byteLength(JSON.stringify(variable))
  error.message = error.message.replace(aboutOne, (text, place?: string) => {
    const found = place ? sent[Number(place) - 1] : sent.toSorted((one, other) => size(other) - size(one))[0]
    return found === undefined ? text : JSON.stringify(found.name)
  })
  return error
}

/** For a question about changing it. */
export function protectionOf({ environment }: Target): string {
  return environment.isProtected ? ", which is protected" : ""
}

/** The server does not say which of the items is gone. */
async function deletedSince(target: Target, before: Environment, set: readonly Variable[], error: unknown) {
  if (!(error instanceof Refusal) || error.status !== 404) return undefined
  const ids = new Set((await readEnvironment(target)).items.map(({ id }) => id))
  const written = new Set(set.map(({ name }) => name))
  const gone = before.items.filter(({ id, name }) => written.has(name) && !ids.has(id))
  if (gone.length === 0) return undefined
  const names = gone.map(({ name }) => JSON.stringify(name)).join(", ")
  return new CommandError(`deleted in between: ${names}. Nothing was saved`, "envkeep history shows who deleted it")
}

export function placeOf({ collection, environment }: Target): string {
  return `${printable(collection.name)}/${printable(environment.name)}`
}
