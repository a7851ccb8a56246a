import type { Team } from "@envkeep/contract"
import { Button } from "@mantine/core"
import { useDisclosure } from "@mantine/hooks"
import { IconTrash } from "@tabler/icons-react"
import { useNavigate } from "react-router"
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx"
import { counted, formatNumber } from "../../ui/counts.ts"
import { Icon } from "../../ui/Icon.tsx"
import { useRemoveTeam } from "./queries.ts"

const maxNames = 10

/** Says first who loses what. */
export function DeleteTeam({ team }: { team: Team }) {
  const { id, name, members, collections } = team
  const [asking, ask] = useDisclosure(false)
  const remove = useRemoveTeam()
  const navigate = useNavigate()

  async function confirm() {
    const done = await remove({ id })
    ask.close()
    if (done !== undefined) await navigate("/user/teams")
  }
  return (
    <>
      <Button variant="default" className="danger-button" leftSection={<Icon shape={IconTrash} />} onClick={ask.open}>
        Delete team
      </Button>
      <ConfirmDialog
        opened={asking}
        title="Delete this team?"
        confirm="Delete"
        onConfirm={confirm}
        onClose={ask.close}
        details={
          <ul className="what-goes">
            <li className="breaks-anywhere">
              <strong>{counted(members.length, "member")}</strong>: {listed(members.map(({ username }) => username))}
            </li>
            <li className="breaks-anywhere">
              <strong>{counted(collections.length, "collection")}</strong>
              {collections.length > 0 && `: ${listed(collections.map((one) => `${one.name} (${one.role})`))}`}
            </li>
          </ul>
        }
      >
        The members of <strong>{name}</strong> lose what only this team gives them, at once. The collections stay. Open
        invitations to the team stop working. This cannot be undone.
      </ConfirmDialog>
    </>
  )
}

function listed(names: string[]): string {
  const shown = names.slice(0, maxNames)
  const more = names.length - shown.length
  return more === 0 ? shown.join(", ") : `${shown.join(", ")} and ${formatNumber(more)} more`
}
