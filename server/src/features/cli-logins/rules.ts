import {
  type CliLogin,
  type cliLogins,
  type InputOf,
  limits,
  type OutputOf,
  sentences,
  type Token,
  userCodeLetters,
} from "@envkeep/contract"
import * as attempts from "../../access/attempts/rules.ts"
import type { UserCaller, Visitor } from "../../access/caller.ts"
import { networkOf } from "../../access/network.ts"
import type { Core } from "../../core/core.ts"
import { minuteMs } from "../../durations.ts"
import { AppError, invalid } from "../../errors.ts"
import { hashToken, newSessionToken, newUserCode } from "../../keys/token.ts"
import * as tokens from "../tokens/rules.ts"
import * as store from "./store.ts"

// Who approves a login decides what its token may do. The token itself is made when the machine collects it, so that it is
// nowhere in between.

const validMs = 10 * minuteMs
const intervalSeconds = 2

export async function beginLogin(
  core: Core,
  caller: Visitor,
  { machine }: InputOf<typeof cliLogins.begin>,
): Promise<OutputOf<typeof cliLogins.begin>> {
  await attempts.countCliLogin(core, caller.address)
  const [deviceCode, userCode, now] = [newSessionToken(), newUserCode(userCodeLetters), Date.now()]
  const expiresAt = now + validMs
  await core.bookkeep(async (tx) => {
    await store.deleteExpiredLogins(tx, now)
    if (await store.hasLogins(tx, limits.waitingCliLogins))
      throw new AppError("too_many", sentences.tooManyCliLogins, 60)
    await store.insertLogin(tx, {
      deviceHash: hashToken(deviceCode),
      userCodeHash: hashToken(userCode),
      machine,
      address: networkOf(caller.address),
      now,
      expiresAt,
    })
  })
  return {
    deviceCode,
    userCode,
    confirmPath: "/cli/confirm",
    intervalSeconds,
    expiresAt: new Date(expiresAt).toISOString(),
  }
}

export async function pollLogin(
  core: Core,
  caller: Visitor,
  { deviceCode }: InputOf<typeof cliLogins.poll>,
): Promise<OutputOf<typeof cliLogins.poll>> {
  const deviceHash = hashToken(deviceCode)
  const found = await store.loginByDevice(core.db, deviceHash, Date.now())
  if (found === undefined) return { state: "expired", token: null }
  if (found.state !== "approved") return { state: found.state, token: null }
  return core.change(caller, "token.create", async (tx, notes) => {
    const approved = await store.takeApproved(tx, deviceHash, Date.now())
    // Another poll was faster.
    if (approved === undefined) {
      notes.nothingChanged()
      return { state: "expired", token: null }
    }
    const { userId, machine, scope, days } = approved
    const name = await tokens.freeTokenName(tx, userId, tokenNameOf(machine))
    const token = await tokens.makeToken(tx, notes, userId, { name, scope, days: days ?? undefined })
    return { state: "approved", token }
  })
}

/** Guesses are counted: a code that someone else is about to approve is worth an account. */
export async function lookAtLogin(
  core: Core,
  caller: UserCaller,
  { userCode }: InputOf<typeof cliLogins.look>,
): Promise<CliLogin> {
  await attempts.countCliCode(core, caller.userId)
  const found = await store.waitingLogin(core.db, hashToken(userCode), Date.now())
  if (found === undefined) throw invalid(sentences.cliCodeUnknown)
  await attempts.cliCodeFound(core, caller.userId)
  const { machine, address, expiresAt } = found
  return { userCode, machine, from: address, expiresAt: new Date(expiresAt).toISOString() }
}

export async function approveLogin(
  core: Core,
  caller: UserCaller,
  { userCode, scope, days }: InputOf<typeof cliLogins.approve>,
): Promise<null> {
  const { userId } = caller
  await attempts.countCliCode(core, userId)
  await core.change(caller, "token.approve", async (tx, notes) => {
    await tokens.refuseTooManyTokens(tx, userId)
    const decision = { state: "approved", userId, scope, days: days ?? null } as const
    const machine = await store.decide(tx, hashToken(userCode), { ...decision, now: Date.now() })
    if (machine === undefined) throw invalid(sentences.cliCodeUnknown)
    notes.about({ userId, tokenName: tokenNameOf(machine) })
  })
  await attempts.cliCodeFound(core, userId)
  return null
}

export async function denyLogin(
  core: Core,
  caller: UserCaller,
  { userCode }: InputOf<typeof cliLogins.deny>,
): Promise<null> {
  const { userId } = caller
  await attempts.countCliCode(core, userId)
  await core.change(caller, "token.deny", async (tx, notes) => {
    const decision = { state: "denied", userId, scope: null, days: null } as const
    const machine = await store.decide(tx, hashToken(userCode), { ...decision, now: Date.now() })
    if (machine === undefined) throw invalid(sentences.cliCodeUnknown)
    notes.about({ userId, tokenName: tokenNameOf(machine) })
  })
  await attempts.cliCodeFound(core, userId)
  return null
}

function tokenNameOf(machine: string): string {
  return `envkeep CLI on ${machine}`
}

export async function usedToken(core: Core, caller: UserCaller): Promise<Token | null> {
  const usedId = caller.token?.id
  if (usedId === undefined) return null
  return (await tokens.listTokens(core, caller)).find(({ id }) => id === usedId) ?? null
}

export function revokeUsedToken(core: Core, caller: UserCaller): Promise<null> {
  if (caller.token === undefined) throw invalid(sentences.notAToken)
  return tokens.revokeToken(core, caller, { id: caller.token.id })
}
