import { Box } from "@mantine/core"
import type { ReactNode } from "react"

/** A part that scrolls by itself. It can be reached with the keyboard, or what is below its edge could not be read. */
export function ScrollBox({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Box role="group" aria-label={label} tabIndex={0} className="scroll-box">
      {children}
    </Box>
  )
}
