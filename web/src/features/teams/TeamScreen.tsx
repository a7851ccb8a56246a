import { teams as calls, type Team } from "@envkeep/contract"
import { Anchor, Box, Button, Group } from "@mantine/core"
import { useDisclosure } from "@mantine/hooks"
import { IconPencil, IconUsersGroup } from "@tabler/icons-react"
import { Link, Navigate, useNavigate, useParams } from "react-router"
import { ApiError } from "../../lib/api.ts"
import { useCallForm } from "../../lib/call-form.ts"
import { roleWords } from "../../lib/roles.ts"
import { useUser } from "../../lib/state.ts"
import { Breadcrumb } from "../../ui/Breadcrumb.tsx"
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx"
import { counted } from "../../ui/counts.ts"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { LongList } from "../../ui/LongList.tsx"
import { NameForm } from "../../ui/NameForm.tsx"
import { Page } from "../../ui/Page.tsx"
import { PageTitle } from "../../ui/PageTitle.tsx"
import { Section } from "../../ui/Section.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { useRefocus } from "../../ui/use-refocus.ts"
import { InvitationSection } from "../invitations/InvitationSection.tsx"
import { DeleteTeam } from "./DeleteTeam.tsx"
import { MemberSection } from "./MemberSection.tsx"
import { useLeaveTeam, useRenameTeam, useTeam } from "./queries.ts"

export function TeamScreen() {
  const { id = "" } = useParams()
  if (!/^[1-9]\d{0,14}$/.test(id)) return <Navigate to="/user/teams" replace />
  return <Loaded key={id} id={Number(id)} />
}

function Loaded({ id }: { id: number }) {
  const { data, error, refetch } = useTeam(id)
  // A team that the user has left must not be shown from the cache.
  if (error instanceof ApiError && error.status === 404) return <Gone />
  if (data !== undefined) return <Content team={data} />
  if (error === null) return <Spinner />
  return (
    <div className="page">
      <LoadFailed title="This team could not be loaded" message={error.message} isPage onRetry={refetch} />
    </div>
  )
}

function Content({ team }: { team: Team }) {
  const { id, name, isAdmin, members } = team
  const me = useUser()?.id
  const [editing, edit] = useDisclosure(false)
  const editName = useRefocus(editing)
  const isLastAdmin = isAdmin && members.every((one) => !one.isAdmin || one.userId === me)
  return (
    <Page
      title={name}
      lead={`${counted(team.memberCount, "member")} · ${counted(team.collectionCount, "collection")}`}
      breadcrumb={<Breadcrumb to="/user/teams">Teams</Breadcrumb>}
      actions={
        !editing && (
          <Group gap="xs">
            {isAdmin && (
              <Button ref={editName} variant="default" leftSection={<Icon shape={IconPencil} />} onClick={edit.open}>
                Edit name
              </Button>
            )}
            {!isLastAdmin && <LeaveTeam team={team} />}
            {isAdmin && <DeleteTeam team={team} />}
          </Group>
        )
      }
      narrow
    >
      {editing && (
        <Box mb={24}>
          <RenameForm team={team} onClose={edit.close} />
        </Box>
      )}
      <MemberSection team={team} />
      <CollectionSection team={team} />
      {isAdmin && <InvitationSection scope={{ of: "team", id }} />}
    </Page>
  )
}

function RenameForm({ team: { id, name }, onClose }: { team: Team; onClose: () => void }) {
  const form = useCallForm(calls.rename, { id, name }, { live: true })
  const rename = useRenameTeam()
  return (
    <NameForm
      name={name}
      field={form.field("name")}
      save={() => form.send(rename)}
      onSaved={onClose}
      onCancel={onClose}
    />
  )
}

function CollectionSection({ team: { collections } }: { team: Team }) {
  return (
    <Section title="Collections" lead="What the team reaches. A collection is added on its own sharing page.">
      {collections.length === 0 ? (
        <p className="section__text">No collection is shared with this team yet.</p>
      ) : (
        <div className="row-list">
          <LongList
            label="Collections"
            rows={collections}
            keyOf={({ id }) => id}
            search={{ label: "Find a collection", textOf: ({ name }) => name }}
            render={({ id, name, role }) => (
              <div className="row-list__row">
                <div>
                  <Anchor component={Link} to={`/collection/${id}`} fw={600} className="breaks-anywhere">
                    {name}
                  </Anchor>
                </div>
                <span className="chip">{roleWords[role].label}</span>
              </div>
            )}
          />
        </div>
      )}
    </Section>
  )
}

function LeaveTeam({ team: { id, name } }: { team: Team }) {
  const [asking, ask] = useDisclosure(false)
  const leave = useLeaveTeam()
  const navigate = useNavigate()

  async function confirm() {
    const done = await leave({ id })
    ask.close()
    if (done !== undefined) await navigate("/user/teams")
  }
  return (
    <>
      <Button variant="default" className="danger-button" onClick={ask.open}>
        Leave
      </Button>
      <ConfirmDialog opened={asking} title="Leave this team?" confirm="Leave" onConfirm={confirm} onClose={ask.close}>
        You lose what only <strong>{name}</strong> gives you. To come back, an admin of the team has to add you again.
      </ConfirmDialog>
    </>
  )
}

function Gone() {
  return (
    <div className="page">
      <PageTitle>Team not found</PageTitle>
      <EmptyState icon={<Icon shape={IconUsersGroup} />} title="This team is not available" isPage>
        <p>It was deleted, or you are not in it.</p>
        <Button component={Link} to="/user/teams" variant="default">
          Your teams
        </Button>
      </EmptyState>
    </div>
  )
}
