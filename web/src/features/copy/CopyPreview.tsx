import type { Environment } from "@envkeep/contract"
import { Button, Text } from "@mantine/core"
import { InlineChoices } from "../../ui/Choices.tsx"
import { counted, formatNumber } from "../../ui/counts.ts"
import { LongList } from "../../ui/LongList.tsx"
import { ScrollBox } from "../../ui/ScrollBox.tsx"
import { ShowValues } from "../../ui/ShowValues.tsx"
import { useRevealed } from "../history/use-revealed.ts"
import { useAbouts } from "../names/queries.ts"
import { CopyRowView } from "./CopyRowView.tsx"
import type { CopyPlan, CopyRow } from "./copy-plan.ts"

/** Which of the names that differ are copied. */
export type Which = "all" | CopyRow["kind"]

interface CopyPreviewProps {
  plan: CopyPlan
  /** The names that can be chosen from. */
  offered: CopyRow[]
  /** Of these, the ones of the chosen kind. */
  rows: CopyRow[]
  which: Which
  /** The names that are not to be copied. */
  left: ReadonlySet<string>
  target: Environment
  /** Undefined if all are offered. */
  onShowAll?: () => void
  onWhich: (which: Which) => void
  onLeave: (left: ReadonlySet<string>) => void
}

/** Shows what would be added and changed, and lets the user choose. */
export function CopyPreview({ plan, offered, rows, which, left, target, onShowAll, ...on }: CopyPreviewProps) {
  const revealed = useRevealed()
  const abouts = useAbouts(target.collectionId)
  const chosen = rows.filter(({ name }) => !left.has(name))

  function toggle(name: string) {
    const next = new Set(left)
    if (!next.delete(name)) next.add(name)
    on.onLeave(next)
  }
  function toggleAll() {
    const next = new Set(left)
    for (const { name } of rows) {
      if (chosen.length === rows.length) next.add(name)
      else next.delete(name)
    }
    on.onLeave(next)
  }
  return (
    <>
      {plan.rows.length > 0 && <Kinds offered={offered} which={which} onWhich={on.onWhich} />}
      <div className="copy-head">
        {rows.length > 0 && (
          <label className="inline-choice">
            <input
              type="checkbox"
              ref={(box) => {
                if (box !== null) box.indeterminate = chosen.length > 0 && chosen.length < rows.length
              }}
              checked={chosen.length === rows.length}
              onChange={toggleAll}
            />
            <span>Choose all</span>
          </label>
        )}
        <Text size="sm" fw={600} role="status" mr="auto">
          {summaryOf(plan, offered, chosen)}
        </Text>
        {onShowAll !== undefined && (
          <Button variant="subtle" color="gray" size="xs" onClick={onShowAll}>
            Show all names
          </Button>
        )}
        {rows.length > 0 && <ShowValues shown={revealed.all} onToggle={revealed.toggleAll} />}
      </div>
      {rows.length > 0 && (
        <ScrollBox label="What will change">
          <LongList
            label="Items to copy"
            rows={rows}
            keyOf={({ name }) => name}
            search={{ label: "Find a name", textOf: ({ name }) => name }}
            render={(row) => (
              <CopyRowView
                row={row}
                isChosen={!left.has(row.name)}
                // A value that is no secret need not be masked.
                canMask={abouts.get(row.name)?.isSecret !== false}
                shown={revealed.isShown(row.name)}
                onChoose={() => toggle(row.name)}
                onToggle={() => revealed.toggle(row.name)}
              />
            )}
          />
        </ScrollBox>
      )}
      {plan.damaged.length > 0 && (
        <Text size="sm" c="dimmed" mt="xs">
          {`${counted(plan.damaged.length, "item of the source is", "items of the source are")} damaged and cannot be copied.`}
        </Text>
      )}
    </>
  )
}

const kinds: { which: Which; label: string }[] = [
  { which: "all", label: "Missing or different" },
  { which: "missing", label: "Missing" },
  { which: "different", label: "Different" },
]

function Kinds({ offered, which, onWhich }: { offered: CopyRow[]; which: Which; onWhich: (which: Which) => void }) {
  return (
    <InlineChoices
      className="copy-kinds"
      legend="What to copy"
      name="which"
      options={kinds.map(({ which, label }) => ({
        value: which,
        label: `${label} (${formatNumber(countOf(offered, which))})`,
      }))}
      chosen={which}
      onChoose={onWhich}
    />
  )
}

function countOf(rows: CopyRow[], which: Which): number {
  return which === "all" ? rows.length : rows.filter(({ kind }) => kind === which).length
}

function summaryOf({ rows, same }: CopyPlan, offered: CopyRow[], chosen: CopyRow[]): string {
  if (rows.length === 0)
    return same === 0 ? "There is nothing to copy." : "Nothing would change: all values are the same."
  if (offered.length === 0) return "Nothing would change: these values are the same."
  const parts = [
    [countOf(chosen, "missing"), "added"],
    [countOf(chosen, "different"), "changed"],
  ] as const
  const done = parts.filter(([count]) => count > 0).map(([count, what]) => `${formatNumber(count)} ${what}`)
  return done.length === 0 ? "Nothing is chosen" : done.join(", ")
}
