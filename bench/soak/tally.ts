import type { Ask, Client, Reply } from "./client.ts"

/** What happened so far: the number of calls, and those that failed. */
export interface Tally {
  calls: number
  faults: Map<string, number>
}

export function createTally(): Tally {
  return { calls: 0, faults: new Map() }
}

/** Makes a call, and records any status that is not expected as a fault. */
export async function checked(client: Client, tally: Tally, ask: Ask, expected: number[] = [200]): Promise<Reply> {
  const what = `${ask.method ?? "GET"} ${ask.path.replaceAll(/\d+/g, "n")}`
  tally.calls++
  try {
    const reply = await client.ask(ask)
    if (!expected.includes(reply.status)) note(tally, `${what}: ${reply.status} ${reply.text.slice(0, 200)}`)
    return reply
  } catch (error) {
    note(tally, `${what}: ${(error as Error).message}`)
    return { status: 0, headers: {}, text: "", data: undefined }
  }
}

export function note(tally: Tally, fault: string): void {
  tally.faults.set(fault, (tally.faults.get(fault) ?? 0) + 1)
}
