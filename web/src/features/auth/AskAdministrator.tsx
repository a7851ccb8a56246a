import { Anchor } from "@mantine/core"
import { contactUrl } from "../../lib/contact.ts"

/** Whom to ask when a password or a second factor is lost: only administrators can make a link. */
export function AskAdministrator({ what = "a reset link" }: { what?: string }) {
  return (
    <>
      Ask the{" "}
      <Anchor href={contactUrl()} inherit underline="always">
        administrator of this server
      </Anchor>{" "}
      for {what}.
    </>
  )
}
