import { allows, type Collection, type CollectionMember, members } from "@envkeep/contract"
import { NativeSelect, TextInput } from "@mantine/core"
import { IconUserMinus } from "@tabler/icons-react"
import { useState } from "react"
import { useCallForm } from "../../../lib/call-form.ts"
import { rolesGivenBy } from "../../../lib/roles.ts"
import { useUser } from "../../../lib/state.ts"
import { ConfirmDialog } from "../../../ui/ConfirmDialog.tsx"
import { Form, SubmitButton } from "../../../ui/Form.tsx"
import { Icon } from "../../../ui/Icon.tsx"
import { IconButton } from "../../../ui/IconButton.tsx"
import { LongList } from "../../../ui/LongList.tsx"
import { PersonName } from "../../../ui/PersonName.tsx"
import { Section } from "../../../ui/Section.tsx"
import { useAddMember, useChangeMember, useRemoveMember } from "./queries.ts"
import { RoleChoice } from "./RoleChoice.tsx"

interface PeopleSectionProps {
  collection: Collection
  people: CollectionMember[]
}

export function PeopleSection({ collection, people }: PeopleSectionProps) {
  const [removing, setRemoving] = useState<CollectionMember>()
  const [asking, setAsking] = useState(false)
  const remove = useRemoveMember(collection.id)

  async function confirm() {
    if (removing !== undefined) await remove({ id: collection.id, userId: removing.userId })
    setAsking(false)
  }
  return (
    <Section title="People">
      {allows(collection.role, "maintainer") && <AddMemberForm collection={collection} />}
      <div className="row-list">
        <LongList
          label="People"
          rows={people}
          keyOf={({ userId }) => userId}
          search={{ label: "Find a person", textOf: ({ username, email }) => `${username} ${email}` }}
          render={(member) => (
            <MemberRow
              member={member}
              collection={collection}
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
        <strong>{removing?.username}</strong> loses access to <strong>{collection.name}</strong> at once, unless a team
        gives it. Values and API keys that they have seen stay valid: replace those that matter.
      </ConfirmDialog>
    </Section>
  )
}

function AddMemberForm({ collection: { id, role } }: { collection: Collection }) {
  const form = useCallForm(members.add, { id, who: "", role: "reader" })
  const add = useAddMember(id)

  async function submit() {
    if ((await form.send(add)) !== undefined) form.reset()
  }
  return (
    <Form label="Add a person" className="section__form" onSubmit={submit}>
      <TextInput
        label="Username or email"
        placeholder="ann@example.com"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        {...form.field("who")}
      />
      <NativeSelect label="Role" data={rolesGivenBy(role)} {...form.field("role")} />
      <SubmitButton className="beside-field">Add</SubmitButton>
    </Form>
  )
}

interface MemberRowProps {
  member: CollectionMember
  collection: Collection
  onRemove: () => void
}

function MemberRow({ member, collection, onRemove }: MemberRowProps) {
  const { userId, username, email, role, isPayer } = member
  const change = useChangeMember(collection.id)
  const isMe = useUser()?.id === userId
  // Only owners change owners. The own role is not changed here by a slip: there is a button to leave.
  const canChange = !isMe && allows(collection.role, role === "owner" ? "owner" : "maintainer")
  return (
    <div className="row-list__row">
      <PersonName
        name={username}
        details={email}
        chips={
          <>
            {isMe && <span className="chip">You</span>}
            {isPayer && (
              <span className="chip" title="What the collection stores counts for this account">
                Pays for storage
              </span>
            )}
          </>
        }
      />
      <div className="row-list__end">
        <RoleChoice
          label={`Role of ${username}`}
          role={role}
          givenBy={canChange ? collection.role : undefined}
          onChange={(chosen) => change({ id: collection.id, userId, role: chosen })}
        />
        {canChange && (
          <IconButton label={`Remove ${username}`} className="danger-button" onClick={onRemove}>
            <Icon shape={IconUserMinus} />
          </IconButton>
        )}
        {!canChange && allows(collection.role, "maintainer") && <span className="row-list__gap" />}
      </div>
    </div>
  )
}
