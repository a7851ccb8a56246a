"use strict"

// The oldest Node whose npm installs what the lockfile says. That brings the Node on which everything runs.
require("./require-node.cjs")(20, "install a newer one, then run npm ci again")
