import react from "@vitejs/plugin-react"
import { defineConfig } from "vitest/config"

export default defineConfig({
  plugins: [react()],
  test: {
    name: "web",
    include: ["src/**/*.test.{ts,tsx}"],
    environment: "happy-dom",
    environmentOptions: { happyDOM: { url: "http://localhost:3000" } },
    env: { TEST_ENGINE: "sqlite" },
    setupFiles: ["src/test/setup.ts", "../testing/src/leaks-setup.ts"],
    testTimeout: 180_000,
  },
})
