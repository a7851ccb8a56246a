import { availableParallelism } from "node:os"
import { testTimeoutMs, waitTimeoutMs } from "@envkeep/testing/time-limits.ts"
import react from "@vitejs/plugin-react"
import { defineConfig } from "vitest/config"

export default defineConfig({
  plugins: [react()],
  test: {
    name: "web",
    include: ["src/**/*.test.{ts,tsx}"],
    environment: "happy-dom",
    // Loading the app takes longer than most of its tests. What a test leaves behind is removed after each one.
    isolate: false,
    // As for all others, so that they run at the same time.
    maxWorkers: availableParallelism() + 1,
    // As wide as a desktop, where two notifications fit.
    environmentOptions: { happyDOM: { url: "http://localhost:3000", width: 1280, height: 800 } },
    env: { TEST_ENGINE: "sqlite" },
    globalSetup: "../testing/src/sqlite-setup.ts",
    setupFiles: ["src/test/setup.ts", "../testing/src/leaks-setup.ts"],
    testTimeout: testTimeoutMs,
    expect: { poll: { timeout: waitTimeoutMs } },
  },
})
