import { groupNames } from "./options.ts"

// What `npm run bench -- --help` and its neighbours print.

const traffic = `  --minutes <number>    how long the traffic lasts
  --seed <number>       other random choices; the same number makes the same ones
`

const check = "  --check               exit with 1 if a budget is broken\n"

const engine = "  --engine <name>       sqlite or postgres; both without it\n"

const bench = `Measures what we promise about speed, side by side.

usage: npm run bench -- [group ...] [options]

${check}  --quick               short turns and small stores: shows that everything runs, and says little about speed
${engine}  --scale <number>      how much of a company's store is made: 1 is all of it
  --minutes, --seed, --idle  for soak and day: npm run soak -- --help, npm run day -- --help

groups: ${groupNames.slice(0, 14).join(", ")},
  ${groupNames.slice(14).join(", ")}

examples:
  npm run bench                                     every group but day; writes the results
  npm run bench -- read save --engine sqlite        two groups on one engine
  npm run bench -- --quick                          all of them, short
  npm run bench -- company-sqlite --scale 0.02      the store of a company, at a fiftieth of its size

bench/README.md says what the groups measure.
`

const soak = `Ten minutes of mixed traffic on SQLite, and a verdict: exits with 1 if memory grows, a call fails, or a file handle or
a connection leaks.

usage: npm run soak -- [options]

${traffic}  --idle <number>       how many idle connections it opens: 5000 without it
${engine}
examples:
  npm run soak
  npm run soak -- --minutes 3 --engine postgres --seed 7 --idle 2000
`

const day = `A day in an hour: mixed traffic on three nodes, which are restarted, backed up, given another root key and failed over in
the middle, and a verdict: exits with 1 if a rule is broken.

usage: npm run day -- [options]

${traffic}
examples:
  npm run day
  npm run day -- --minutes 3 --seed 7               2 minutes are the least
`

/** `npm run soak` and `npm run day` run the benchmark with the name of their group. */
export function usageOf(args: readonly string[]): { command: string; usage: string } {
  const [name = ""] = args
  if (name === "soak") return { command: "npm run soak", usage: soak }
  if (name === "day") return { command: "npm run day", usage: day }
  return { command: "npm run bench", usage: bench }
}
