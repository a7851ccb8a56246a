import { Button } from "@mantine/core"
import { IconHistory, IconMailForward } from "@tabler/icons-react"
import { Link } from "react-router"
import { Icon } from "../../ui/Icon.tsx"

/** Where the dashboard and the list of users lead. */
export function AdminLinks() {
  return (
    <>
      <Button component={Link} to="/admin/invitations" variant="default" leftSection={<Icon shape={IconMailForward} />}>
        Invitations
      </Button>
      <Button component={Link} to="/admin/activity" variant="default" leftSection={<Icon shape={IconHistory} />}>
        Activity
      </Button>
    </>
  )
}
