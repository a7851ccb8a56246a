import react from "@vitejs/plugin-react"
import { defineConfig } from "vite"

export default defineConfig({
  plugins: [react()],
  server: { proxy: { "/api": "http://127.0.0.1:3000" } },
<<<<<<< HEAD
=======
  // The security policy allows files of our own origin only, so nothing may be turned into a data: address.
  build: { assetsInlineLimit: 0 },
>>>>>>> e9bbf28 (web: build every screen of the product)
})
