import { canRepair, type FindingKind, findingKinds, type ImportEntry } from "@envkeep/formats/import"
import { Alert, Button } from "@mantine/core"
import { counted, formatNumber } from "../../../ui/counts.ts"
import { LongList } from "../../../ui/LongList.tsx"
import { ScrollBox } from "../../../ui/ScrollBox.tsx"
import { type Choices, repairKey } from "./incoming.ts"
import type { ReadText } from "./read-text.ts"

/** What is wrong, and what the repair does. */
const words: Record<FindingKind, { what: string; repair: string; repaired: string }> = {
  straySpaces: { what: "Space or line break at the start or end", repair: "Trim", repaired: "Trimmed" },
  invisibleCharacters: { what: "Invisible characters or special spaces", repair: "Clean up", repaired: "Cleaned up" },
  typographicQuotes: {
    what: "Typographic quotes, which programs take for a part of the value",
    repair: "Fix quotes",
    repaired: "Quotes fixed",
  },
  doubledQuotes: {
    what: "Quotes around the value are a part of it",
    repair: "Remove quotes",
    repaired: "Quotes removed",
  },
  brokenPem: {
    what: "A PEM that lost its line breaks",
    repair: "Restore line breaks",
    repaired: "Line breaks restored",
  },
  placeholder: { what: "Looks like a placeholder", repair: "Leave out", repaired: "Left out" },
  localAddress: {
    what: "A local address, and this environment looks like production",
    repair: "Leave out",
    repaired: "Left out",
  },
  testKey: {
    what: "A test key or sandbox, and this environment looks like production",
    repair: "Leave out",
    repaired: "Left out",
  },
  addedByDoppler: { what: "Doppler adds this name by itself", repair: "Leave out", repaired: "Left out" },
  reference: {
    what: "Refers to another value, with a $ or op://. Envkeep stores the text as it is, and replaces nothing",
    repair: "",
    repaired: "",
  },
}

interface ImportFindingsProps {
  read: ReadText
  choices: Choices
  onChoose: (choices: Choices) => void
}

interface Row {
  at: number
  entry: ImportEntry
  key: string
}

/** What looks wrong in the text. Each repair is one click, and another one takes it back. */
export function ImportFindings({ read, choices, onChoose }: ImportFindingsProps) {
  const groups = groupsOf(read, choices)
  const count = groups.reduce((sum, { rows }) => sum + rows.length, 0)
  if (count === 0) return null
  const left = groups
    .flatMap(({ kind, rows }) => (canRepair(kind) ? rows : []))
    .filter(({ key }) => !choices.repairs.has(key))

  function change(rows: Row[], isRepaired: boolean) {
    const repairs = new Set(choices.repairs)
    for (const { key } of rows) {
      if (isRepaired) repairs.add(key)
      else repairs.delete(key)
    }
    onChoose({ ...choices, repairs })
  }
  return (
    <Alert role="group" className="import-note" mt="sm" title={title(count, left.length)}>
      <ScrollBox label="What to check">
        {groups.map(({ kind, rows }) => (
          <FindingGroup key={kind} kind={kind} rows={rows} choices={choices} onChange={change} />
        ))}
      </ScrollBox>
    </Alert>
  )
}

interface FindingGroupProps {
  kind: FindingKind
  rows: Row[]
  choices: Choices
  onChange: (rows: Row[], isRepaired: boolean) => void
}

function FindingGroup({ kind, rows, choices, onChange }: FindingGroupProps) {
  const { what, repair, repaired } = words[kind]
  const left = rows.filter(({ key }) => !choices.repairs.has(key))
  return (
    <section className="import-finding">
      <div className="import-finding__head">
        <h3 className="import-finding__title">{what}</h3>
        {canRepair(kind) && rows.length > 1 && left.length > 0 && (
          <Button variant="default" size="compact-xs" onClick={() => onChange(left, true)}>
            {`${repair}: all ${formatNumber(left.length)}`}
          </Button>
        )}
      </div>
      <LongList
        label={what}
        rows={rows}
        keyOf={({ at }) => at}
        render={(row) => {
          const isRepaired = choices.repairs.has(row.key)
          return (
            <div className="import-finding__row">
              <span className="breaks-anywhere">
                {`Line ${formatNumber(row.entry.line)}: `}
                <code className="import-row__name">{row.entry.name}</code>
                {isRepaired && <span className="import-finding__done">{` ${repaired}`}</span>}
              </span>
              {canRepair(kind) && (
                <Button
                  variant={isRepaired ? "subtle" : "default"}
                  size="compact-xs"
                  aria-label={isRepaired ? `Undo: ${repaired}, ${row.entry.name}` : `${repair}: ${row.entry.name}`}
                  onClick={() => onChange([row], !isRepaired)}
                >
                  {isRepaired ? "Undo" : repair}
                </Button>
              )}
            </div>
          )
        }}
      />
    </section>
  )
}

/** By kind, of the part of the text that is imported. */
function groupsOf({ entries, findings }: ReadText, { from }: Choices): { kind: FindingKind; rows: Row[] }[] {
  const rowsOf = (kind: FindingKind) =>
    findings.flatMap((finding): Row[] => {
      const entry = entries[finding.at]
      if (finding.kind !== kind || entry === undefined || (from !== undefined && entry.from !== from)) return []
      return [{ at: finding.at, entry, key: repairKey(kind, entry) }]
    })
  return findingKinds.map((kind) => ({ kind, rows: rowsOf(kind) })).filter(({ rows }) => rows.length > 0)
}

function title(count: number, left: number): string {
  const found = counted(count, "thing to check", "things to check")
  if (left === 0) return found
  return `${found}, ${formatNumber(left)} can be repaired here`
}
