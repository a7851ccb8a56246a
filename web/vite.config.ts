import react from "@vitejs/plugin-react"
import { defineConfig, type Plugin } from "vite"

const server = `http://127.0.0.1:${process.env["PORT"] ?? 3000}`

export default defineConfig({
  plugins: [react(), withoutSummaries()],
  server: { proxy: { "/api": server, "/envkeep.tgz": server } },
  // Classic workers cannot load the YAML parser only when it is needed.
  worker: { format: "es" },
  build: {
    // The security policy allows scripts from our own origin only, so nothing may be inlined as a data: URL.
    assetsInlineLimit: 0,
    // A journey holds the size of the first load, as it is sent.
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // One file, so that zod is configured before the first schema is created. Only administrators load the calls
          // about products, which list several hundred categories; they import this file, so they come after it.
          groups: [
            {
              name: "contract",
              priority: 3,
              test: /node_modules\/zod\/|\/contract\/src\/(?!admin\.ts|product-categories)|\/lib\/zod\.ts$/,
            },
            // What every visitor loads.
            { name: "first", tags: ["$initial"], priority: 2 },
            // What several screens need is one file and not dozens: each is a request.
            { name: "shared", minShareCount: 3, priority: 1 },
          ],
        },
      },
    },
  },
})

/** What the contract says about its calls is for the documentation. Guests need not load it. */
function withoutSummaries(): Plugin {
  return {
    name: "without-summaries",
    apply: "build",
    enforce: "pre",
    transform: {
      filter: { id: /\/contract\/src\/[\w-]+\.ts$/ },
      handler: (code) => code.replaceAll(/\bsummary:\s*"(?:[^"\\]|\\.)*",/g, ""),
    },
  }
}
