import { Button } from "@mantine/core"
import type { ReactNode } from "react"
import { dropInvitation } from "../../lib/held-invitation.ts"
import "./invitation-note.css"

interface InvitationNoteProps {
  /** Undefined if nothing can be done without it. */
  onDropped: (() => void) | undefined
  children: ReactNode
}

/** Says that this visit goes on with an invitation, and offers to go on without it. */
export function InvitationNote({ onDropped, children }: InvitationNoteProps) {
  function drop() {
    dropInvitation()
    onDropped?.()
  }
  return (
    <div className="invitation-note">
      <p>{children}</p>
      {onDropped !== undefined && (
        <Button variant="default" size="xs" onClick={drop}>
          Continue without it
        </Button>
      )}
    </div>
  )
}
