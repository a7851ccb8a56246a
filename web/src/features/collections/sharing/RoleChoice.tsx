import type { Level } from "@envkeep/contract"
import { NativeSelect } from "@mantine/core"
import { asRole, rolesGivenBy, roleWords } from "../../../lib/roles.ts"
import { useOnce } from "../../../ui/use-once.ts"

interface RoleChoiceProps {
  label: string
  role: Level
  /** What the user is in the collection. Undefined if the user may not change this role. */
  givenBy: Level | undefined
  onChange: (role: Level) => Promise<unknown>
}

/** The role of a member or team: a select for those who may change it, a word for others. */
export function RoleChoice({ label, role, givenBy, onChange }: RoleChoiceProps) {
  return givenBy === undefined ? (
    <span className="row-list__role">{roleWords[role].label}</span>
  ) : (
    <RoleSelect label={label} role={role} givenBy={givenBy} onChange={onChange} />
  )
}

function RoleSelect({ label, role, givenBy, onChange }: RoleChoiceProps & { givenBy: Level }) {
  let chosen = role
  const [change] = useOnce(() => onChange(chosen))
  return (
    <NativeSelect
      aria-label={label}
      data={rolesGivenBy(givenBy)}
      value={role}
      onChange={(event) => {
        chosen = asRole(event.currentTarget.value)
        void change()
      }}
    />
  )
}
