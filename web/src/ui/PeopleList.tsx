import { type ReactNode, useState } from "react"
import { ConfirmDialog } from "./ConfirmDialog.tsx"
import { LongList } from "./LongList.tsx"

interface ListedPerson {
  userId: number
  username: string
  email: string
}

interface PeopleListProps<Person extends ListedPerson> {
  label: string
  searchLabel: string
  people: Person[]
  render: (person: Person, onRemove: () => void) => ReactNode
  /** What is said about a person before they are removed. */
  consequence: (person: Person | undefined) => ReactNode
  onRemove: (person: Person) => Promise<unknown>
}

/** People who can be found by name or e-mail, and removed after a question. */
export function PeopleList<Person extends ListedPerson>({ people, ...list }: PeopleListProps<Person>) {
  const [removing, setRemoving] = useState<Person>()
  const [asking, setAsking] = useState(false)

  async function confirm() {
    if (removing !== undefined) await list.onRemove(removing)
    setAsking(false)
  }
  return (
    <>
      <div className="row-list">
        <LongList
          label={list.label}
          rows={people}
          keyOf={({ userId }) => userId}
          search={{ label: list.searchLabel, textOf: ({ username, email }) => `${username} ${email}` }}
          render={(person) =>
            list.render(person, () => {
              setRemoving(person)
              setAsking(true)
            })
          }
        />
      </div>
      <ConfirmDialog
        opened={asking}
        title="Remove this member?"
        confirm="Remove"
        onConfirm={confirm}
        onClose={() => setAsking(false)}
      >
        {list.consequence(removing)}
      </ConfirmDialog>
    </>
  )
}
