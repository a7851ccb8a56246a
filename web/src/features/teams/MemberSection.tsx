import { teams as calls, type Team, type TeamMember } from "@envkeep/contract"
import { NativeSelect, TextInput } from "@mantine/core"
import { IconUserMinus } from "@tabler/icons-react"
import { useState } from "react"
import { useCallForm } from "../../lib/call-form.ts"
import { useUser } from "../../lib/state.ts"
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { IconButton } from "../../ui/IconButton.tsx"
import { LongList } from "../../ui/LongList.tsx"
import { PersonName } from "../../ui/PersonName.tsx"
import { Section } from "../../ui/Section.tsx"
import { useOnce } from "../../ui/use-once.ts"
import { useAddTeamMember, useChangeTeamMember, useRemoveTeamMember } from "./queries.ts"

export function MemberSection({ team }: { team: Team }) {
  const [removing, setRemoving] = useState<TeamMember>()
  const [asking, setAsking] = useState(false)
  const remove = useRemoveTeamMember()

  async function confirm() {
    if (removing !== undefined) await remove({ id: team.id, userId: removing.userId })
    setAsking(false)
  }
  return (
    <Section title="Members" lead="Admins of a team add and remove members, and can rename or delete it.">
      {team.isAdmin && <AddMemberForm teamId={team.id} />}
      <div className="row-list">
        <LongList
          label="Members"
          rows={team.members}
          keyOf={({ userId }) => userId}
          search={{ label: "Find a member", textOf: ({ username, email }) => `${username} ${email}` }}
          render={(member) => (
            <MemberRow
              member={member}
              team={team}
              onRemove={() => {
                setRemoving(member)
                setAsking(true)
              }}
            />
          )}
        />
      </div>
      <ConfirmDialog
        opened={asking}
        title="Remove this member?"
        confirm="Remove"
        onConfirm={confirm}
        onClose={() => setAsking(false)}
      >
        <strong>{removing?.username}</strong> loses what only this team gives them, at once. Values and API keys that
        they have seen stay valid: replace those that matter.
      </ConfirmDialog>
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
      <TextInput
        label="Username or email"
        placeholder="ann@example.com"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        {...form.field("who")}
      />
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
