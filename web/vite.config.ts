import { join } from "node:path"
import react from "@vitejs/plugin-react"
import { defineConfig } from "vite"
import { contractForScreens } from "./contract-for-screens.ts"

const server = `http://127.0.0.1:${process.env["PORT"] ?? 3000}`

export default defineConfig({
  plugins: [react(), contractForScreens()],
  resolve: { alias: [{ find: /^zod$/, replacement: join(import.meta.dirname, "src/lib/zod.ts") }] },
  server: { proxy: { "/api": server, "/envkeep.tgz": server } },
  // Classic workers cannot load the YAML parser only when it is needed.
  worker: { format: "es" },
  build: {
    // The security policy allows scripts from our own origin only, so nothing may be inlined as a data: URL.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // A journey holds what the first screens load, as it is sent.
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // What every visitor of the app loads.
            { name: "first", tags: ["$initial"], priority: 3 },
            // Only administrators load the calls about products, which list several hundred categories.
            {
              name: "contract",
              priority: 2,
              test: /node_modules\/zod\/|\/contract\/src\/(?!admin\.ts|product-categories)|\/lib\/zod\.ts$/,
            },
            // What shows messages, with all that it needs.
            {
              name: "notices",
              priority: 2,
              test: /@mantine\/notifications|react-transition-group|react-remove-scroll/,
            },
            // What the landing page shares with other screens.
            {
              name: "samples",
              priority: 2,
              test: /\/ui\/CodeSample\.|\/lib\/(clipboard|client-package|contact)\.|components\/Anchor\/|\/Icon(Bolt|Box|Equal|Lock)\./,
            },
            // What the login page loads beside the first, with all that it needs.
            {
              name: "forms",
              priority: 1,
              test: /\/ui\/(Form|PasswordField|CenteredCard|use-arrival-focus)\.|\/lib\/(call-form|write)\.ts|\/auth\/(AskAdministrator|InvitationNote|queries)\.|components\/Stack\//,
            },
            // What several screens need is one file and not dozens: each is a request.
            { name: "shared", minShareCount: 3 },
          ],
        },
      },
    },
  },
})
