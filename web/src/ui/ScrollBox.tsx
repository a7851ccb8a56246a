import { Box } from "@mantine/core"
import type { ReactNode } from "react"

/** Scrolls by itself. It takes the focus so that the keyboard can scroll it too. */
export function ScrollBox({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Box role="group" aria-label={label} tabIndex={0} className="scroll-box">
      {children}
    </Box>
  )
}
