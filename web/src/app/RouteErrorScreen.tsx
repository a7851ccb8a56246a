import { Button, Code, Text, Title } from "@mantine/core"
import { isRouteErrorResponse, useRouteError } from "react-router"
import { useWithoutFind } from "../lib/find-window.ts"
import { Logo } from "../ui/Logo.tsx"
import { PageTitle } from "../ui/PageTitle.tsx"

/** Outside the layout, because the error may come from the layout, and without Find, because it may come from its results. */
export function RouteErrorScreen() {
  useWithoutFind()
  return (
    <main className="page page--notice">
      <PageTitle>Error</PageTitle>
      <Logo size={48} />
      <Title order={1}>Unexpected Application Error!</Title>
      <Code className="breaks-anywhere">{messageOf(useRouteError())}</Code>
      <Text c="dimmed">Reloading the page usually helps, for example after a server update.</Text>
      <Button mt="md" onClick={() => location.reload()}>
        Reload the page
      </Button>
    </main>
  )
}

function messageOf(error: unknown): string {
  if (isRouteErrorResponse(error)) return `${error.status} ${error.statusText}`
  return error instanceof Error ? error.message : String(error)
}
