"use strict"

// The Node of the machine runs this if the one that the lockfile pins was not installed.
require("./require-node.cjs")(24, "run npm ci without --ignore-scripts, which installs one, then run this again")
import("./start.js")
