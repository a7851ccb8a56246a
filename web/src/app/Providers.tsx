import { MantineProvider } from "@mantine/core"
import { Notifications } from "@mantine/notifications"
import { type QueryClient, QueryClientProvider } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { cssVariables, theme } from "./theme.ts"

export function Providers({ client, children }: { client: QueryClient; children: ReactNode }) {
  return (
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
      <QueryClientProvider client={client}>
        {children}
        <Notifications position="top-center" className="notifications" />
      </QueryClientProvider>
    </MantineProvider>
  )
}
