import { Anchor } from "@mantine/core"
import { contactUrl } from "../../lib/contact.ts"

/** Whom to ask when a password is forgotten: only who runs the server can make a reset link. */
export function AskAdministrator() {
  return (
    <>
      Ask the{" "}
      <Anchor href={contactUrl()} inherit underline="always">
        administrator of this server
      </Anchor>{" "}
      for a reset link.
    </>
  )
}
