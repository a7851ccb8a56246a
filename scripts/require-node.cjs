"use strict"

// Runs on whatever Node there is, to say that it is too old. So this is JavaScript that Node 12 can parse, and it loads
// nothing.

/** Ends the process with one sentence unless Node is new enough. */
function requireNode(major, advice) {
  if (Number.parseInt(process.versions.node, 10) >= major) return
  const found = `Envkeep needs Node ${major} or newer, and this is ${process.version}`
  process.stderr.write(`envkeep: ${found}: ${advice}\n`)
  process.exit(1)
}

module.exports = requireNode
