import { limits, sentences } from "@envkeep/contract"
import { Alert, Text } from "@mantine/core"
import { blankWords } from "../../../ui/blank-text.ts"
import { formatNumber } from "../../../ui/counts.ts"
import { LongList } from "../../../ui/LongList.tsx"
import { Names } from "../../../ui/Names.tsx"
import { ScrollBox } from "../../../ui/ScrollBox.tsx"
import { ShowValues } from "../../../ui/ShowValues.tsx"
import type { Plan } from "./import-plan.ts"

interface ImportPreviewProps {
  plan: Plan
  shown: boolean
  onToggleShown: () => void
}

/** Shows what Import would do. */
export function ImportPreview({ plan, shown, onToggleShown }: ImportPreviewProps) {
  return (
    <>
      {plan.damaged.length > 0 && (
        <Alert role="group" className="danger-note" mt="sm" title="Damaged items cannot be merged">
          The stored values of these items cannot be read, so they cannot be kept. Add new values to the text, or delete
          the items first: <Names names={plan.damaged} />
        </Alert>
      )}
      {plan.result.length > limits.itemsPerEnvironment && (
        <Alert role="group" className="danger-note" mt="sm" title="Too many items">
          {`${sentences.environmentFull}; with this import it would be ${formatNumber(plan.result.length)}.`}
        </Alert>
      )}
      <div className="import-preview">
        <div className="import-preview__head">
          <Text size="sm" fw={600} role="status">
            {summary(plan)}
          </Text>
          <ShowValues shown={shown} onToggle={onToggleShown} />
        </div>
        <ScrollBox label="Preview">
          <Rows kind="removed" title="Removed" rows={plan.removed.map((name) => ({ name }))} shown={shown} />
          <Rows kind="changed" title="Changed" rows={plan.changed} shown={shown} />
          <Rows kind="added" title="Added" rows={plan.added} shown={shown} />
          <Rows kind="unchanged" title="Unchanged" rows={plan.unchanged.map((name) => ({ name }))} shown={shown} />
        </ScrollBox>
      </div>
    </>
  )
}

function summary({ added, changed, unchanged, removed }: Plan): string {
  const count = ({ length }: unknown[], what: string) => `${formatNumber(length)} ${what}`
  const parts = [count(added, "added"), count(changed, "changed"), count(unchanged, "unchanged")]
  return [...parts, ...(removed.length > 0 ? [count(removed, "removed")] : [])].join(", ")
}

interface Row {
  name: string
  value?: string
  before?: string | null
}

interface RowsProps {
  kind: "added" | "changed" | "removed" | "unchanged"
  title: string
  rows: Row[]
  shown: boolean
}

function Rows({ kind, title, rows, shown }: RowsProps) {
  if (rows.length === 0) return null
  return (
    <section className={`import-rows import-rows--${kind}`}>
      <h3 className="import-rows__title">{title}</h3>
      <LongList
        label={title}
        rows={rows}
        keyOf={({ name }) => name}
        render={({ name, value, before }) => (
          <div className="import-row">
            <code className="import-row__name">{name}</code>
            {value !== undefined && (
              <span className="import-row__values">
                {before !== undefined && <Value value={before} shown={shown} isBefore />}
                <Value value={value} shown={shown} />
              </span>
            )}
          </div>
        )}
      />
    </section>
  )
}

function Value({ value, shown, isBefore = false }: { value: string | null; shown: boolean; isBefore?: boolean }) {
  const text = value === null ? "cannot be read" : shown ? beginning(value) : "••••••••"
  return isBefore ? <del className="import-row__value">{text}</del> : <code className="import-row__value">{text}</code>
}

/** A hundred of the largest values would be slow to render, and a blank one would look like nothing. */
function beginning(value: string): string {
  const blank = blankWords(value)
  if (blank !== undefined) return `(${blank})`
  return value.length > 500 ? `${value.slice(0, 500)}…` : value
}
