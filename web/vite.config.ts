import react from "@vitejs/plugin-react"
import { defineConfig } from "vite"

export default defineConfig({
  plugins: [react()],
  server: { proxy: { "/api": `http://127.0.0.1:${process.env["PORT"] ?? 3000}` } },
  build: {
    // The security policy allows scripts of our own origin only, so nothing may be turned into a data: address.
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // One file, so that zod is told about the security policy before the first schema is made.
          groups: [{ name: "contract", test: /node_modules\/zod\/|\/contract\/src\/|\/lib\/zod\.ts$/ }],
        },
      },
    },
  },
})
