import { allows, type Collection, type CollectionTeam, type Level, type TeamSummary } from "@envkeep/contract"
import { Anchor, NativeSelect } from "@mantine/core"
import { IconUsersMinus } from "@tabler/icons-react"
import { useState } from "react"
import { Link } from "react-router"
import { asRole, rolesGivenBy } from "../../../lib/roles.ts"
import { ConfirmDialog } from "../../../ui/ConfirmDialog.tsx"
import { counted } from "../../../ui/counts.ts"
import { Form, SubmitButton } from "../../../ui/Form.tsx"
import { Icon } from "../../../ui/Icon.tsx"
import { IconButton } from "../../../ui/IconButton.tsx"
import { LongList } from "../../../ui/LongList.tsx"
import { PersonName } from "../../../ui/PersonName.tsx"
import { Section } from "../../../ui/Section.tsx"
import { useTeams } from "../../teams/queries.ts"
import { useChangeTeam, useRemoveTeam, useShareWithTeam } from "./queries.ts"
import { RoleChoice } from "./RoleChoice.tsx"

interface TeamSectionProps {
  collection: Collection
  teams: CollectionTeam[]
}

export function TeamSection({ collection, teams }: TeamSectionProps) {
  const [removing, setRemoving] = useState<CollectionTeam>()
  const [asking, setAsking] = useState(false)
  const remove = useRemoveTeam(collection.id)
  const canManage = allows(collection.role, "maintainer")

  async function confirm() {
    if (removing !== undefined) await remove({ id: collection.id, teamId: removing.teamId })
    setAsking(false)
  }
  if (teams.length === 0 && !canManage) return null
  return (
    <Section title="Teams" lead="Every member of a team has the role of the team.">
      {canManage && <AddTeam collection={collection} teams={teams} />}
      {teams.length > 0 && (
        <div className="row-list">
          <LongList
            label="Teams"
            rows={teams}
            keyOf={({ teamId }) => teamId}
            search={{ label: "Find a team", textOf: ({ name }) => name }}
            render={(team) => (
              <TeamRow
                team={team}
                collection={collection}
                onRemove={() => {
                  setRemoving(team)
                  setAsking(true)
                }}
              />
            )}
          />
        </div>
      )}
      <ConfirmDialog
        opened={asking}
        title="Remove this team?"
        confirm="Remove"
        onConfirm={confirm}
        onClose={() => setAsking(false)}
      >
        The members of <strong>{removing?.name}</strong> lose access to <strong>{collection.name}</strong> at once, but
        for those who have a role of their own or through another team.
      </ConfirmDialog>
    </Section>
  )
}

function AddTeam({ collection, teams }: TeamSectionProps) {
  const { data: mine } = useTeams()
  const left = mine?.filter(({ id }) => !teams.some(({ teamId }) => teamId === id))
  if (left === undefined) return null
  if (left.length > 0) return <AddTeamForm collection={collection} mine={left} />
  return (
    <p className="section__text">
      {mine?.length === 0 ? "You are in no team yet. " : "All of your teams are listed. "}
      <Anchor component={Link} to="/user/teams" inherit underline="always">
        {mine?.length === 0 ? "Create a team" : "Your teams"}
      </Anchor>
    </p>
  )
}

function AddTeamForm({ collection: { id, role: myRole }, mine }: { collection: Collection; mine: TeamSummary[] }) {
  const [chosen, setChosen] = useState<number>()
  // The chosen one is no longer among them once it was added.
  const teamId = mine.find((team) => team.id === chosen)?.id ?? mine[0]?.id ?? 0
  const [role, setRole] = useState<Level>("reader")
  const share = useShareWithTeam(id)
  return (
    <Form label="Add a team" className="section__form" onSubmit={() => share({ id, teamId, role })}>
      <NativeSelect
        label="Team"
        data={mine.map((team) => ({ value: String(team.id), label: team.name }))}
        value={String(teamId)}
        onChange={(event) => setChosen(Number(event.currentTarget.value))}
      />
      <NativeSelect
        label="Role"
        data={rolesGivenBy(myRole)}
        value={role}
        onChange={(event) => setRole(asRole(event.currentTarget.value))}
      />
      <SubmitButton className="beside-field">Add</SubmitButton>
    </Form>
  )
}

interface TeamRowProps {
  team: CollectionTeam
  collection: Collection
  onRemove: () => void
}

function TeamRow({ team, collection, onRemove }: TeamRowProps) {
  const { teamId, name, role, memberCount, isMine } = team
  const change = useChangeTeam(collection.id)
  const canChange = allows(collection.role, role === "owner" ? "owner" : "maintainer")
  return (
    <div className="row-list__row">
      <PersonName
        name={name}
        details={
          <>
            {counted(memberCount, "member")}
            {isMine && (
              <>
                {" · "}
                <Anchor component={Link} to={`/user/teams/${teamId}`} inherit>
                  You are in this team
                </Anchor>
              </>
            )}
          </>
        }
      />
      <div className="row-list__end">
        <RoleChoice
          label={`Role of ${name}`}
          role={role}
          givenBy={canChange ? collection.role : undefined}
          onChange={(chosen) => change({ id: collection.id, teamId, role: chosen })}
        />
        {canChange && (
          <IconButton label={`Remove ${name}`} className="danger-button" onClick={onRemove}>
            <Icon shape={IconUsersMinus} />
          </IconButton>
        )}
        {!canChange && allows(collection.role, "maintainer") && <span className="row-list__gap" />}
      </div>
    </div>
  )
}
