import { defineConfig } from "@playwright/test"
import usual from "./playwright.config.ts"

// A file's name and a journey's tags are part of what is searched.
const ofLongOnes = { testIgnore: [], grep: /@long|\.long\.journey/, grepInvert: [] }

export default defineConfig(usual, ofLongOnes)
