import { defineConfig } from "@playwright/test"
import usual from "./playwright.config.ts"

export default defineConfig(usual, { testMatch: "*.long.journey.ts", testIgnore: [] })
