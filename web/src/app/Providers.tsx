import { MantineProvider } from "@mantine/core"
import { type QueryClient, QueryClientProvider } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { FindWindow } from "./FindWindow.tsx"
import { Notices } from "./Notices.tsx"
import { cssVariables, theme } from "./theme.ts"

export function Providers({ client, children }: { client: QueryClient; children: ReactNode }) {
  return (
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
      <QueryClientProvider client={client}>
        {children}
        <FindWindow />
        <Notices />
      </QueryClientProvider>
    </MantineProvider>
  )
}
