import "./mantine-styles.ts"
import "./base.css"
import "../ui/ui.css"
import "../ui/visually-hidden.css"
import "../ui/notifications.css"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { RouterProvider } from "react-router/dom"
import { notify } from "../lib/notify.ts"
import { onSessionAnnounced } from "../lib/other-tabs.ts"
import { createQueryClient, whenFetched } from "../lib/query-client.ts"
import { recheckUser, userQuery } from "../lib/state.ts"
import { Providers } from "./Providers.tsx"
import { createRouter } from "./router.tsx"
import { preloadInUse } from "./screens.ts"

const client = createQueryClient()
void client.prefetchQuery(userQuery)
onSessionAnnounced(async () => {
  if (await recheckUser(client)) notify.info("Your session changed in another tab")
})

const root = document.getElementById("root")
if (root === null) throw new Error("The page has no root element")
createRoot(root).render(
  <StrictMode>
    <Providers client={client}>
      <RouterProvider router={createRouter(client)} />
    </Providers>
  </StrictMode>,
)

const preload = () => preloadInUse(() => whenFetched(client))
if (document.readyState === "complete") preload()
else addEventListener("load", preload, { once: true })
