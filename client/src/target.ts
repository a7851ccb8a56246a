import { api, type Session } from "./api.ts"
import { readLogins } from "./credentials.ts"
import type { Given } from "./given.ts"
import { CommandError } from "./messages.ts"
import { Misuse } from "./options.ts"
import { findProject, type Project, projectFile } from "./project.ts"

// Which server, which collection and which environment a command is about: what is given, then what the environment says,
// then `.envkeep.json`.

export interface EnvironmentSummary {
  id: number
  name: string
  collectionId: number
  revision: number
  itemCount: number
  isProtected: boolean
  baseId: number | null
}

export interface CollectionSummary {
  id: number
  name: string
  description: string
  role: string
  subCollections: EnvironmentSummary[]
}

export function serverUrl(text: string): string {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new Misuse("the server's address must start with http:// or https://")
  }
  // In `https://good.example@evil.example`, what people read first is no server.
  if (url.username !== "" || url.password !== "") throw new Misuse("the server's address cannot have a user in it")
  return url.origin + url.pathname.replace(/\/+$/, "")
}

/** A key goes to no other server than this one, or else that of `ENVKEEP_URL`. */
export function serverOption(given: Given): string | undefined {
  const said = given.text("server")
  return said === undefined ? undefined : serverUrl(said)
}

/** The server that a command talks to; undefined if nothing says which. */
export async function findServer(given: Given): Promise<string | undefined> {
  const said = serverOption(given) ?? projectFor(given)?.server ?? (process.env["ENVKEEP_URL"] || undefined)
  return said === undefined ? (await readLogins()).at(-1)?.url : serverUrl(said)
}

export async function findSession(given: Given): Promise<Session> {
  const url = await findServer(given)
  if (url === undefined) {
    throw new CommandError("no server given: set ENVKEEP_URL", "or log in: envkeep login https://envkeep.example.com")
  }
  const ofPipeline = process.env["ENVKEEP_TOKEN"]?.trim()
  if (ofPipeline) {
    await refuseServerOfFile(url, given)
    // What cannot be sent in a header is no token.
    if (!/^[!-~]+$/.test(ofPipeline)) throw new CommandError("ENVKEEP_TOKEN is not a personal token: copy it again")
    return { url, token: ofPipeline }
  }
  const token = (await readLogins()).find((login) => login.url === url)?.token
  if (token === undefined) throw new CommandError(`not logged in to ${url}`, howToLogIn(url))
  return { url, token }
}

function howToLogIn(url: string): string {
  const hasKey = Boolean(process.env["ENVKEEP_KEY"])
  return hasKey
    ? `an API key is for run, print, save and check; run envkeep login ${url}, or set ENVKEEP_TOKEN`
    : `run envkeep login ${url}, or set ENVKEEP_KEY`
}

/**
 * Anyone who can propose a commit can change `.envkeep.json`. Like a key, the token goes to no server that only the file
 * names: the server is given, in `ENVKEEP_URL`, or one that the user has logged in to.
 */
async function refuseServerOfFile(url: string, given: Given): Promise<void> {
  if (given.text("server") !== undefined) return
  const set = process.env["ENVKEEP_URL"]
  const expected = set ? serverUrl(set) : undefined
  if (expected === url) return
  if (expected !== undefined) {
    throw new CommandError(
      `${projectFile} says ${url}, but ENVKEEP_URL says ${expected}: ENVKEEP_TOKEN was sent to neither`,
      `add --server ${expected}, or set ENVKEEP_URL to ${url} if you trust it`,
    )
  }
  if ((await readLogins()).some((login) => login.url === url)) return
  throw new CommandError(
    `only ${projectFile} says ${url}: ENVKEEP_TOKEN was not sent there`,
    `set ENVKEEP_URL to ${url}, or add --server ${url}, if you trust it`,
  )
}

export function listCollections(session: Session, timeoutMs?: number): Promise<CollectionSummary[]> {
  const quickly = timeoutMs === undefined ? {} : { timeoutMs, retries: 0 }
  return api(session, { path: "/collection", ...quickly })
}

interface Choice {
  collection?: string | number
  environment?: string | number
}

/** What is chosen, by name or id, whether there is such a thing or not. A number is an id, and never a name. */
export function choiceOf(session: Session, given: Given): Choice {
  const { ENVKEEP_COLLECTION, ENVKEEP_ENVIRONMENT } = process.env
  const said = given.text("collection") ?? (ENVKEEP_COLLECTION || undefined)
  const project = projectAt(session, given)
  const collection = said ?? project?.collection.id
  // The environment of the project is one of the project's collection.
  const ofProject = said === undefined ? project?.environment.id : undefined
  const environment = given.text("environment") ?? (ENVKEEP_ENVIRONMENT || ofProject)
  return {
    ...(collection !== undefined && { collection }),
    ...(environment !== undefined && { environment }),
  }
}

/** By name or id, of what the login can see. */
export async function findCollection(session: Session, given: Given): Promise<CollectionSummary> {
  const { collection } = choiceOf(session, given)
  if (!collection) {
    throw new Misuse("no collection given: use --collection, or run envkeep init in the project's folder")
  }
  return pick("collection", await listCollections(session), collection)
}

export interface Target extends Session {
  collection: { id: number; name: string }
  environment: EnvironmentSummary
}

export async function findTarget(given: Given): Promise<Target> {
  const session = await findSession(given)
  return { ...session, ...(await findEnvironment(session, given)) }
}

/** `name` stands for what `--environment` would say. */
export async function findEnvironment(
  session: Session,
  given: Given,
  name = given.text("environment"),
): Promise<Pick<Target, "collection" | "environment">> {
  const collection = await findCollection(session, given)
  const wanted = name ?? choiceOf(session, given).environment
  if (!wanted) {
    throw new Misuse("no environment given: use --environment, or run envkeep init in the project's folder")
  }
  const environment = pick("environment", collection.subCollections, wanted)
  return { collection: { id: collection.id, name: collection.name }, environment }
}

/** A damaged file is no obstacle for the command that replaces it. */
function projectFor(given: Given): Project | undefined {
  try {
    return findProject()
  } catch (error) {
    if (given.replacesProject) return undefined
    throw error
  }
}

/** Its ids mean something on its own server only. */
function projectAt({ url }: Session, given: Given): Project | undefined {
  const project = projectFor(given)
  return project !== undefined && serverUrl(project.server) === url ? project : undefined
}

/** Anyone can share a collection whose name is the id of another one. */
function pick<Found extends { id: number; name: string }>(
  what: string,
  all: readonly Found[],
  wanted: string | number,
): Found {
  const hasId = ({ id }: Found) => String(id) === String(wanted)
  const [found, second] = all.filter((one) => one.name === wanted || hasId(one))
  if (second !== undefined) {
    throw all.some(hasId)
      ? new CommandError(
          `${JSON.stringify(wanted)} is the id of one ${what} and the name of another`,
          "give another name or id",
        )
      : new CommandError(`several have the name ${JSON.stringify(wanted)}`, `give the ${what}'s id`)
  }
  if (found !== undefined) return found
  const names = all.slice(0, 20).map(({ name }) => JSON.stringify(name))
  throw new CommandError(
    `there is no ${what} ${JSON.stringify(wanted)}`,
    names.length === 0 ? undefined : `there is ${names.join(", ")}`,
  )
}
