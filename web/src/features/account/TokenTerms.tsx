import { type Scope, scopes, tokenDays } from "@envkeep/contract"
import { NativeSelect } from "@mantine/core"
import { Choice, Choices, Explained } from "../../ui/Choices.tsx"
import { scopeWords } from "./scope-words.ts"

interface ScopeChoiceProps {
  chosen: Scope
  onChange: (scope: Scope) => void
}

export function ScopeChoice({ chosen, onChange }: ScopeChoiceProps) {
  return (
    <Choices legend="What it may do">
      {scopes.map((one) => (
        <Choice key={one} name="scope" checked={chosen === one} onChoose={() => onChange(one)}>
          <Explained title={scopeWords[one].label} text={scopeWords[one].text} />
        </Choice>
      ))}
    </Choices>
  )
}

const neverExpires = "never"
const expiries = [
  ...tokenDays.map((days) => ({ value: String(days), label: `After ${days} days` })),
  { value: neverExpires, label: "Never" },
]

interface ExpiryChoiceProps {
  /** Undefined if it does not expire. */
  days: number | undefined
  onChange: (days: number | undefined) => void
}

export function ExpiryChoice({ days, onChange }: ExpiryChoiceProps) {
  return (
    <NativeSelect
      label="Expires"
      data={expiries}
      value={String(days ?? neverExpires)}
      onChange={({ currentTarget: { value } }) => onChange(value === neverExpires ? undefined : Number(value))}
    />
  )
}
