import { Button } from "@mantine/core"
import { IconHistory } from "@tabler/icons-react"
import { Link } from "react-router"
import { Icon } from "../../ui/Icon.tsx"

/** Leads to the history of the environment. */
export function HistoryLink({ to, ml }: { to: string; ml?: "auto" }) {
  return (
    <Button
      component={Link}
      to={to}
      variant="subtle"
      color="gray"
      size="xs"
      {...(ml !== undefined && { ml })}
      leftSection={<Icon shape={IconHistory} />}
    >
      History
    </Button>
  )
}
