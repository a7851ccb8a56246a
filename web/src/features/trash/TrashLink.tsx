import { Button } from "@mantine/core"
import { IconTrash } from "@tabler/icons-react"
import { Link } from "react-router"
import { formatNumber } from "../../ui/counts.ts"
import { Icon } from "../../ui/Icon.tsx"
import "./trash.css"

/** Leads to the trash, with how much is in it. Not shown as long as it is empty. */
export function TrashLink({ to, total }: { to: string; total: number | undefined }) {
  if (total === undefined || total === 0) return null
  return (
    <Button
      component={Link}
      to={to}
      variant="subtle"
      color="gray"
      fw={500}
      c="dimmed"
      leftSection={<Icon shape={IconTrash} />}
    >
      {`Trash (${formatNumber(total)})`}
    </Button>
  )
}
