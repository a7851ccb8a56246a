import { Anchor } from "@mantine/core"
import { Link } from "react-router"

/** The foot of a screen for those who have no need of it. */
export function LoginHere({ after: question }: { after: string }) {
  return (
    <>
      {question}{" "}
      <Anchor component={Link} to="/login" inherit underline="always">
        Login here
      </Anchor>
    </>
  )
}
