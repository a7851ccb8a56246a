import react from "@vitejs/plugin-react"
import { defineConfig } from "vite"

const server = `http://127.0.0.1:${process.env["PORT"] ?? 3000}`

export default defineConfig({
  plugins: [react()],
  server: { proxy: { "/api": server, "/envkeep.tgz": server } },
  build: {
    // The security policy allows scripts from our own origin only, so nothing may be inlined as a data: URL.
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // One file, so that zod is configured before the first schema is created.
          groups: [{ name: "contract", test: /node_modules\/zod\/|\/contract\/src\/|\/lib\/zod\.ts$/ }],
        },
      },
    },
  },
})
