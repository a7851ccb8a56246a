"use strict"

// `exec node …` as the shell of Windows finds it, among the commands of our packages. A POSIX shell has its own `exec`, which
// puts the program in the place of the shell: npm's signals reach the program, and npm waits until it has ended.

require("./require-node.cjs")(24, "run npm ci without --ignore-scripts, which installs one, then run this again")
const { spawn } = require("node:child_process")

const [, , , ...args] = process.argv
const program = spawn(process.execPath, args, { stdio: "inherit" })
// The program decides when it ends. A console sends Ctrl-C to both; what else comes is passed on.
process.on("SIGINT", () => undefined)
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => program.kill(signal))
program.on("exit", (code) => process.exit(code === null ? 1 : code))
