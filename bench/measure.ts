import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { startPostgres } from "@envkeep/testing/machine/postgres.ts"
import type { Bench, Group, Section } from "./bench.ts"
import { startBeside } from "./beside/start.ts"
import { groups } from "./groups.ts"
import { buildProduct, describeMachine } from "./machine.ts"
import { engines, type Options } from "./options.ts"
import { budgetSection, markdown, printed } from "./report.ts"

/** Those of x64 are what the landing page and the README promise. Figures of other processors are beside them. */
const resultsName = process.arch === "x64" ? "results.md" : `results-${process.arch}.md`
const begun = performance.now()
/** Removes everything that this program starts or writes, the last first, also after Ctrl-C or a failure. */
const started = new AsyncDisposableStack()
for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const) {
  process.once(signal, () => {
    // What still runs fails now, since what it needs is gone. That must not keep the rest from being undone.
    for (const event of ["unhandledRejection", "uncaughtException"]) process.on(event, () => undefined)
    undo(started).then(() => process.exit(code))
  })
}

/** Returns the exit code. */
export async function runBench(options: Options): Promise<number> {
  try {
    return await measure(prepare(options))
  } finally {
    await undo(started)
  }
}

/** All of it, whatever fails. Why the run failed counts more than what could not be undone. */
async function undo(cleanup: AsyncDisposableStack): Promise<void> {
  await cleanup.disposeAsync().catch((error: Error) => {
    process.stderr.write(`bench: could not clean up: ${error.stack}\n`)
  })
}

function prepare(options: Options): Bench {
  buildProduct()
  let postgres: Promise<string> | undefined
  const generator = startBeside(started)
  return {
    options,
    cleanup: started,
    load: (load) => generator.ask("load", { seconds: options.seconds, ...load }),
    postgres() {
      postgres ??= startPostgres({ durable: true }).then(({ url, stop }) => {
        started.defer(stop)
        return url
      })
      return postgres
    },
    say: (line) => void process.stderr.write(`${elapsed().padStart(6)}  ${line}\n`),
  }
}

async function measure(bench: Bench): Promise<number> {
  const { options, say } = bench
  const isAll = options.only.length === 0
  const sections: Section[] = []
  for (const group of groups.filter(({ name, isOnRequest }) => (isAll ? !isOnRequest : options.only.includes(name)))) {
    say(group.name)
    const measured = await runAlone(bench, group)
    // At once: if a later group fails, these figures are not lost.
    process.stdout.write(printed(measured))
    sections.push(...measured)
  }
  const held = sections.flatMap((section) => section.held)
  const all = [...sections, budgetSection(held)]
  process.stdout.write(printed(all.slice(-1)))
  const isWhole = isAll && !options.quick && options.engines.length === engines.length
  if (!isWhole) say(`${resultsName} is left as it is: this was not the whole run`)
  else await writeFile(join(import.meta.dirname, resultsName), await results(bench, all))

  const broken = held.filter(({ kept }) => !kept)
  if (!options.check || broken.length === 0) return 0
  for (const { promise, where, limit, measured } of broken) {
    process.stderr.write(`bench: broken: ${promise} (${where}): ${measured.toFixed(2)}, and the budget is ${limit}\n`)
  }
  return 1
}

/** Stops what the group started, so that the next one has the machine to itself. */
async function runAlone(bench: Bench, group: Group): Promise<Section[]> {
  // Started before, because all groups share it.
  await bench.postgres()
  const cleanup = started.use(new AsyncDisposableStack())
  try {
    return await group.run({ ...bench, cleanup })
  } finally {
    await undo(cleanup)
  }
}

async function results(bench: Bench, sections: Section[]): Promise<string> {
  const machine = await describeMachine(bench)
  const { turns, seconds: each, race, calls } = bench.options
  return `# Results

Written by \`npm run bench\`. Everything was measured on one machine in one run, side by side and by turns (A B C B C A ...);
each figure is the median of ${turns} turns (reads by key and small saves: of ${race.turns}), each ratio the median of the ratios
within a turn. Under load a turn lasts ${each} s (reads by key: ${race.seconds} s); where single calls are timed, a turn's figure is the
median of up to ${calls} of them. The load generator is a process of its own on the same machine, with raw sockets and
prepared bytes, the same for every server; each server runs in one process on default settings, the product as built. All
traffic is over 127.0.0.1. The run took ${elapsed()}.

${machine.map(([name, value]) => `- ${name}: ${value}`).join("\n")}

${markdown(sections)}`
}

function elapsed(): string {
  const all = Math.round((performance.now() - begun) / 1000)
  return `${Math.floor(all / 60)}:${String(all % 60).padStart(2, "0")}`
}
