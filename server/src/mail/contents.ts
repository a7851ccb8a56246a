import { clientName, type Level } from "@envkeep/contract"
import { type Letter, shownName } from "./letter.ts"

/** What each kind of mail is made from. It is sealed in the queue: it holds secrets of links, and addresses of people. */
export interface MailParams {
  /** That a password was forgotten. Whether there is such an account is found out later: see `users/forgotten`. */
  forgotten: { email: string; from: Origin }
  reset: { token: string; from: Origin }
  invitation: {
    secret: string
    invitedBy: string
    to: "collection" | "team" | "account"
    name: string | null
    role: Level | null
    expiresAt: number
  }
  /** A login from a browser that the account was not used in before. */
  "sign-in": { from: Origin; hasPassword: boolean }
  /** The change that the event was written for. */
  changed: { action: string; from: Origin }
  /** The same about a token. Counted by itself, so that many of them keep back no notice of another change. */
  token: { action: string; name: string; from: Origin }
  email: { from: Origin }
  /** Counted by itself, too: anyone can send some. */
  "transfer-request": Record<string, never>
  "key-refused": {
    apiKeyName: string
    environmentName: string
    collectionName: string
    collectionId: number
    refused: number
  }
  /** In place of notices beyond those that an account gets in an hour. */
  more: Record<string, never>
}

export type MailKind = keyof MailParams

/** Where the caller was, and when. */
export interface Origin {
  at: number
  /** The network of the address. */
  network: string
  client: string
}

interface Around {
  origin: string
  host: string
  /** How many notices the mail stands for. */
  notices: number
}

type Writers = { [Kind in Exclude<MailKind, "forgotten">]: (params: MailParams[Kind], around: Around) => Letter }

const writers: Writers = {
  reset: ({ token, from }, { origin, host }) => ({
    subject: "Set a new Envkeep password",
    paragraphs: [
      `A new password for your account at ${host} was requested ${where(from)}.`,
      "If that was you, open this link within one hour. It works once.",
    ],
    link: { label: "Set a new password", url: `${origin}/reset#${token}` },
    footer: ["If it was not you, do nothing. Your password stays as it is."],
  }),
  invitation: ({ secret, invitedBy, to, name, role, expiresAt }, { origin, host }) => ({
    subject: `${shownName(invitedBy)} invites you to Envkeep`,
    paragraphs: [
      `${shownName(invitedBy)} invites you to ${whatTo(to, name, role)} at ${host}.`,
      `The link works until ${time(expiresAt)}.`,
    ],
    link: { label: "Open the invitation", url: `${origin}/invitation#${secret}` },
    footer: ["If you do not know who this is from, do nothing. Anyone who has the link can use it: do not pass it on."],
  }),
  "sign-in": ({ from, hasPassword }, { origin, host }) => ({
    subject: "New sign-in to your Envkeep account",
    paragraphs: [
      `There was a sign-in to your account at ${host} from a new browser or program: ${where(from)}.`,
      hasPassword ? changePassword : endSession,
    ],
    link: { label: "See your sessions", url: `${origin}/user/dashboard` },
    footer: [becauseOfAccount(host)],
  }),
  changed: ({ action, from }, { origin, host }) => {
    const {
      subject,
      what,
      advice = "If it was not you, set a new password now, and tell the administrator of the server.",
    } = changeOf(action)
    return {
      subject,
      paragraphs: [`${what} at ${host}, ${where(from)}.`, advice],
      link: { label: "See your activity", url: `${origin}/user/activity` },
      footer: [becauseOfAccount(host)],
    }
  },
  token: ({ action, name, from }, { origin, host }) => {
    const { subject, what } = changeOf(action)
    return {
      subject,
      paragraphs: [`${what} at ${host}, ${where(from)}. The token's name is ${shownName(name)}.`, revokeItFirst],
      link: { label: "See your tokens", url: `${origin}/user/dashboard` },
      footer: [becauseOfAccount(host)],
    }
  },
  email: ({ from }, { host }) => ({
    subject: "The email of your Envkeep account was changed",
    paragraphs: [
      `The email of your account at ${host} was changed ${where(from)}.`,
      "If it was not you, tell the administrator of the server at once.",
    ],
    footer: ["This is the last mail to this address about the account."],
  }),
  "transfer-request": (_, { origin, host }) => ({
    subject: "You are asked to take over an Envkeep collection",
    paragraphs: [
      `An owner asks you to take over a collection at ${host}.`,
      "Nothing changes until you accept. The request is on your dashboard, where you can refuse it, too.",
    ],
    link: { label: "Open your dashboard", url: `${origin}/collection/dashboard` },
    footer: [becauseOfAccount(host)],
  }),
  "key-refused": ({ apiKeyName, environmentName, collectionName, collectionId, refused }, { origin, host }) => ({
    subject: `The API key ${shownName(apiKeyName)} is being refused`,
    paragraphs: [
      `A program keeps trying to read from ${host} with the API key ${shownName(apiKeyName)} of ${shownName(environmentName)} in ${shownName(collectionName)}, and was refused ${refused.toLocaleString("en-US")} times today: the key has expired, is disabled, or may not be used from there.`,
      "Give the program another key, or find out who has this one. You get this mail once a day for each key.",
    ],
    link: { label: "Open the collection", url: `${origin}/collection/${collectionId}` },
    footer: ["You get this mail because you own the collection."],
  }),
  more: (_, { origin, host, notices }) => ({
    subject: "More news about your Envkeep account",
    paragraphs: [
      `There ${notices === 1 ? "was 1 more notice" : `were ${notices.toLocaleString("en-US")} more notices`} about your account at ${host} than we send in an hour. Your activity shows what happened.`,
    ],
    link: { label: "See your activity", url: `${origin}/user/activity` },
    footer: [becauseOfAccount(host)],
  }),
}

export function letterOf<Kind extends keyof Writers>(kind: Kind, params: MailParams[Kind], around: Around): Letter {
  return writers[kind](params, around)
}

const signIn = "Your Envkeep sign-in was changed"
const passwordChanged = "Your Envkeep password was changed"

interface Change {
  subject: string
  what: string
  /** What to do if it was not expected. */
  advice?: string
}

const removeItFirst =
  "If it was not you, remove it on your profile page first, then set a new password, and tell the administrator of the server. A new password alone does not remove it."
const revokeItFirst =
  "If it was not you, revoke it on your profile page first, then set a new password, and tell the administrator of the server. A new password alone does not revoke it."
const changePassword = "If it was not you, change your password now. That signs out all other sessions."
const endSession =
  "If it was not you, end that session on your profile page now, and secure what you log in with: your account at the sign-in provider, or your passkeys."
const notAskedFor = "If you did not ask for it, tell the operator of the server."

/** By the name of the action, or by its first word. */
const changes: Record<string, Change> = {
  "account.password": { subject: passwordChanged, what: "The password of your account was changed" },
  "account.reset-password": {
    subject: passwordChanged,
    what: "The password of your account was changed with a reset link",
  },
  "account.reset-link": {
    subject: "A link to reset your Envkeep password",
    what: "An administrator made a link that sets a new password for your account",
    advice: notAskedFor,
  },
  "account.factor-link": {
    subject: "A link to remove the second step of your sign-in",
    what: "An administrator made a link that removes the second step of your sign-in",
    advice: notAskedFor,
  },
  "account.remove-factors": { subject: signIn, what: "The second step of your sign-in was removed with a link" },
  "totp.enable": { subject: signIn, what: "An authenticator app was added to your account" },
  "totp.disable": { subject: signIn, what: "The authenticator app was removed from your account" },
  "recovery-codes.create": { subject: signIn, what: "New recovery codes were made for your account" },
  "recovery-code.use": {
    subject: "A recovery code of your Envkeep account was used",
    what: "A recovery code was used to sign in to your account",
  },
  "passkey.add": { subject: signIn, what: "A passkey was added to your account", advice: removeItFirst },
  "passkey.remove": { subject: signIn, what: "A passkey was removed from your account" },
  "identity.connect": {
    subject: signIn,
    what: "An account at a sign-in provider was connected to your account",
    advice: removeItFirst,
  },
  "identity.disconnect": {
    subject: signIn,
    what: "An account at a sign-in provider was disconnected from your account",
  },
  "token.create": {
    subject: "A new token for your Envkeep account",
    what: "A personal token was made for your account",
  },
  "token.approve": {
    subject: "A login of the envkeep command was approved",
    what: "A login of the envkeep command was approved, which gives it a token for your account",
  },
  factor: { subject: signIn, what: "The second step of your sign-in was changed" },
  passkey: { subject: signIn, what: "The passkeys of your account were changed" },
  identity: { subject: signIn, what: "The connected accounts that you sign in with were changed" },
}

/** Actions with these names do not change how users sign in. */
const notChanges = /\.(refuse|fail|confirm|rename)/

/** Whether the account's user gets a notice of it. */
export function isNoticed(action: string): boolean {
  const [word = ""] = action.split(".")
  return Object.hasOwn(changes, action) || (Object.hasOwn(changes, word) && !notChanges.test(action))
}

function changeOf(action: string): Change {
  const [word = ""] = action.split(".")
  const own = { subject: "Your Envkeep account was changed", what: "Your account was changed" }
  return changes[action] ?? changes[word] ?? own
}

const articles = {
  owner: "an owner",
  maintainer: "a maintainer",
  editor: "an editor",
  reader: "a reader",
  viewer: "a viewer",
}

function whatTo(to: "collection" | "team" | "account", name: string | null, role: Level | null): string {
  if (to === "account") return "make an account"
  if (to === "team") return `the team ${shownName(name ?? "")}`
  return `the collection ${shownName(name ?? "")}${role === null ? "" : ` as ${articles[role]}`}`
}

/** `on 17 November 2026 at 04:10 UTC, from the network 192.0.2.0/24, with Firefox on Linux`. */
function where({ at, network, client }: Origin): string {
  const from = network === "" ? "" : `, from the network ${network}`
  const program = clientName(client)
  return `on ${time(at)}${from}${program === "" ? "" : `, with ${shownName(program)}`}`
}

function time(at: number): string {
  const written = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" })
  return `${written.format(at)} UTC`
}

function becauseOfAccount(host: string): string {
  return `You get this mail because you have an account at ${host}.`
}
