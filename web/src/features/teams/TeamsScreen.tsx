import { teams as calls, type TeamSummary } from "@envkeep/contract"
import { Anchor, TextInput } from "@mantine/core"
import { IconChevronRight, IconUsersGroup } from "@tabler/icons-react"
import { Link, useNavigate } from "react-router"
import { useCallForm } from "../../lib/call-form.ts"
import { Breadcrumb } from "../../ui/Breadcrumb.tsx"
import { counted } from "../../ui/counts.ts"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { LongList } from "../../ui/LongList.tsx"
import { Page } from "../../ui/Page.tsx"
import { PersonName } from "../../ui/PersonName.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { useCreateTeam, useTeams } from "./queries.ts"

/** The teams that the user is in. */
export function TeamsScreen() {
  const { data, error, refetch } = useTeams()
  return (
    <Page
      title="Teams"
      lead="Share a collection with a team, and everyone in it gets the same role."
      breadcrumb={<Breadcrumb to="/user/dashboard">Profile</Breadcrumb>}
      narrow
    >
      <div className="card">
        <CreateTeamForm />
        {data !== undefined && data.length > 0 && (
          <div className="row-list">
            <LongList
              label="Teams"
              rows={data}
              keyOf={({ id }) => id}
              search={{ label: "Find a team", textOf: ({ name }) => name }}
              render={(team) => <TeamRow team={team} />}
            />
          </div>
        )}
        {data?.length === 0 && (
          <EmptyState icon={<Icon shape={IconUsersGroup} />} title="You are in no team yet">
            Create one for the people who work on the same apps.
          </EmptyState>
        )}
        {data === undefined && error === null && <Spinner />}
        {data === undefined && error !== null && (
          <LoadFailed title="Your teams could not be loaded" message={error.message} onRetry={refetch} />
        )}
      </div>
    </Page>
  )
}

function CreateTeamForm() {
  const form = useCallForm(calls.create, { name: "" })
  const create = useCreateTeam()
  const navigate = useNavigate()

  async function submit() {
    const done = await form.send(create)
    if (done !== undefined) await navigate(`/user/teams/${done.data.id}`)
  }
  return (
    <Form label="Create a team" className="section__form" onSubmit={submit}>
      <TextInput label="Team name" placeholder="payments" autoComplete="off" {...form.field("name")} />
      <SubmitButton className="beside-field">Create team</SubmitButton>
    </Form>
  )
}

function TeamRow({ team: { id, name, isAdmin, memberCount, collectionCount } }: { team: TeamSummary }) {
  return (
    <Anchor
      component={Link}
      to={`/user/teams/${id}`}
      underline="never"
      c="inherit"
      className="row-list__row row-list__row--link"
    >
      <PersonName
        name={name}
        details={`${counted(memberCount, "member")} · ${counted(collectionCount, "collection")}`}
        chips={isAdmin && <span className="chip">Admin</span>}
      />
      <Icon shape={IconChevronRight} />
    </Anchor>
  )
}
