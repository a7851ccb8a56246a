import "../lib/zod.ts"
import "@mantine/core/styles.layer.css"
import "@mantine/notifications/styles.layer.css"
import "./base.css"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { RouterProvider } from "react-router/dom"
import { onSessionAnnounced } from "../lib/other-tabs.ts"
import { createQueryClient } from "../lib/query-client.ts"
import { recheckUser, userQuery } from "../lib/state.ts"
import { Providers } from "./Providers.tsx"
import { createRouter } from "./router.tsx"

const client = createQueryClient()
void client.prefetchQuery(userQuery)
onSessionAnnounced(() => recheckUser(client))

const root = document.getElementById("root")
if (root === null) throw new Error("The page has no root element")
createRoot(root).render(
  <StrictMode>
    <Providers client={client}>
      <RouterProvider router={createRouter(client)} />
    </Providers>
  </StrictMode>,
)
