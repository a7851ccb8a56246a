import { teams as calls, type Team, type TeamMember } from "@envkeep/contract"
import { NativeSelect } from "@mantine/core"
import { IconUserMinus } from "@tabler/icons-react"
import { useCallForm } from "../../lib/call-form.ts"
import { useUser } from "../../lib/state.ts"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { IconButton } from "../../ui/IconButton.tsx"
import { PeopleList } from "../../ui/PeopleList.tsx"
import { PersonField } from "../../ui/PersonField.tsx"
import { PersonName } from "../../ui/PersonName.tsx"
import { Section } from "../../ui/Section.tsx"
import { useOnce } from "../../ui/use-once.ts"
import { useAddTeamMember, useChangeTeamMember, useRemoveTeamMember } from "./queries.ts"

export function MemberSection({ team }: { team: Team }) {
  const remove = useRemoveTeamMember()
  return (
    <Section title="Members" lead="Admins of a team add and remove members, and can rename or delete it.">
      {team.isAdmin && <AddMemberForm teamId={team.id} />}
      <PeopleList
        label="Members"
        searchLabel="Find a member"
        people={team.members}
        render={(member, onRemove) => <MemberRow member={member} team={team} onRemove={onRemove} />}
        consequence={(member) => (
          <>
            <strong>{member?.username}</strong> loses what only this team gives them, at once. Values and API keys that
            they have seen stay valid: replace those that matter.
          </>
        )}
        onRemove={({ userId }) => remove({ id: team.id, userId })}
      />
    </Section>
  )
}

function AddMemberForm({ teamId }: { teamId: number }) {
  const form = useCallForm(calls.addMember, { id: teamId, who: "", isAdmin: false })
  const add = useAddTeamMember()

  async function submit() {
    if ((await form.send(add)) !== undefined) form.reset()
  }
  return (
    <Form label="Add a member" className="section__form" onSubmit={submit}>
      <PersonField {...form.field("who")} />
      <SubmitButton className="beside-field">Add</SubmitButton>
    </Form>
  )
}

interface MemberRowProps {
  member: TeamMember
  team: Team
  onRemove: () => void
}

function MemberRow({ member: { userId, username, email, isAdmin }, team, onRemove }: MemberRowProps) {
  const change = useChangeTeamMember()
  const isMe = useUser()?.id === userId
  const [toggle] = useOnce(() => change({ id: team.id, userId, isAdmin: !isAdmin }))
  const canChange = team.isAdmin && !isMe
  const standing = isAdmin ? "Admin" : "Member"
  return (
    <div className="row-list__row">
      <PersonName name={username} details={email} chips={isMe && <span className="chip">You</span>} />
      <div className="row-list__end">
        {canChange ? (
          <>
            <NativeSelect
              aria-label={`Role of ${username}`}
              data={["Member", "Admin"]}
              value={standing}
              onChange={toggle}
            />
            <IconButton label={`Remove ${username}`} className="danger-button" onClick={onRemove}>
              <Icon shape={IconUserMinus} />
            </IconButton>
          </>
        ) : (
          <>
            <span className="row-list__role">{standing}</span>
            {team.isAdmin && <span className="row-list__gap" />}
          </>
        )}
      </div>
    </div>
  )
}
