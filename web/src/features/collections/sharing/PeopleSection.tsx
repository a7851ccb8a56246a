import { allows, type Collection, type CollectionMember, members } from "@envkeep/contract"
import { NativeSelect } from "@mantine/core"
import { IconUserMinus } from "@tabler/icons-react"
import { useCallForm } from "../../../lib/call-form.ts"
import { rolesGivenBy } from "../../../lib/roles.ts"
import { useUser } from "../../../lib/state.ts"
import { Form, SubmitButton } from "../../../ui/Form.tsx"
import { Icon } from "../../../ui/Icon.tsx"
import { IconButton } from "../../../ui/IconButton.tsx"
import { PeopleList } from "../../../ui/PeopleList.tsx"
import { PersonField } from "../../../ui/PersonField.tsx"
import { PersonName } from "../../../ui/PersonName.tsx"
import { Section } from "../../../ui/Section.tsx"
import { useAddMember, useChangeMember, useRemoveMember } from "./queries.ts"
import { RoleChoice } from "./RoleChoice.tsx"

interface PeopleSectionProps {
  collection: Collection
  people: CollectionMember[]
}

export function PeopleSection({ collection, people }: PeopleSectionProps) {
  const remove = useRemoveMember(collection.id)
  return (
    <Section title="People">
      {allows(collection.role, "maintainer") && <AddMemberForm collection={collection} />}
      <PeopleList
        label="People"
        searchLabel="Find a person"
        people={people}
        render={(member, onRemove) => <MemberRow member={member} collection={collection} onRemove={onRemove} />}
        consequence={(member) => (
          <>
            <strong>{member?.username}</strong> loses access to <strong>{collection.name}</strong> at once, unless a
            team gives it. Values and API keys that they have seen stay valid: replace those that matter.
          </>
        )}
        onRemove={({ userId }) => remove({ id: collection.id, userId })}
      />
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
      <PersonField {...form.field("who")} />
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
  const { userId, username, email, role, isPayer, isAskedToPay } = member
  const change = useChangeMember(collection.id)
  const isMe = useUser()?.id === userId
  // Only owners change owners. The own role is not changed here by a slip: there is a button to leave.
  // Who pays goes only when another has taken the collection over: see the section about ownership.
  const canChange = !isMe && !isPayer && allows(collection.role, role === "owner" ? "owner" : "maintainer")
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
            {isAskedToPay && <span className="chip">Asked to take over</span>}
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
