import { type Scope, scopes, tokenDays } from "@envkeep/contract"
import { NativeSelect } from "@mantine/core"
import { scopeWords } from "./scope-words.ts"

interface ScopeChoiceProps {
  chosen: Scope
  onChange: (scope: Scope) => void
}

export function ScopeChoice({ chosen, onChange }: ScopeChoiceProps) {
  return (
    <fieldset className="choices">
      <legend>What it may do</legend>
      {scopes.map((one) => (
        <label key={one} className="choice">
          <input type="radio" name="scope" checked={chosen === one} onChange={() => onChange(one)} />
          <span>
            <strong>{scopeWords[one].label}</strong>
            <span className="choice__text">{scopeWords[one].text}</span>
          </span>
        </label>
      ))}
    </fieldset>
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
