import { type Environment, limits, sentences } from "@envkeep/contract"
import { Button, Text } from "@mantine/core"
import { useMemo, useState } from "react"
import { counted } from "../../ui/counts.ts"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { NoteField } from "../history/NoteField.tsx"
import { useReloadHistory } from "../history/queries.ts"
import { CopyPreview, type Which } from "./CopyPreview.tsx"
import { CopyWarnings } from "./CopyWarnings.tsx"
import { planCopy } from "./copy-plan.ts"
import { useCopyItems } from "./queries.ts"

interface CopyFormProps {
  source: Environment
  target: Environment
  environments: Environment[]
  names: readonly string[] | undefined
  onClose: () => void
}

export function CopyForm({ names, onClose, ...current }: CopyFormProps) {
  // While it is being copied, the preview stays that of the state before.
  const [held, setHeld] = useState<typeof current>()
  const { source, target, environments } = held ?? current
  const [onlyGiven, setOnlyGiven] = useState(names !== undefined)
  const [which, setWhich] = useState<Which>("all")
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const [note, setNote] = useState("")
  const [isConfirmed, setConfirmed] = useState(false)
  const copy = useCopyItems(target.collectionId)
  const reload = useReloadHistory(target.collectionId)
  const plan = useMemo(() => planCopy(source, target, environments), [source, target, environments])
  const offered = useMemo(() => {
    const given = new Set(names)
    return onlyGiven ? plan.rows.filter(({ name }) => given.has(name)) : plan.rows
  }, [plan, names, onlyGiven])
  const rows = which === "all" ? offered : offered.filter(({ kind }) => kind === which)
  const chosen = rows.filter(({ name }) => !left.has(name))
  const isTooMany = chosen.length > limits.itemsPerEnvironment

  async function submit() {
    setHeld(current)
    const done = await copy({
      id: target.id,
      from: source.id,
      names: chosen.map(({ name }) => name),
      revision: target.revision,
      sourceRevision: source.revision,
      note,
    })
    if (done !== undefined) return onClose()
    // One of them may have been changed since, so there is a new preview to check.
    await reload()
    setHeld(undefined)
  }
  const canSubmit = chosen.length > 0 && !isTooMany && (!target.isProtected || isConfirmed)
  return (
    <Form className="copy-form" onSubmit={submit}>
      {plan.rows.length > 0 && (
        <CopyWarnings source={source} target={target} isConfirmed={isConfirmed} onConfirm={setConfirmed} />
      )}
      <CopyPreview
        plan={plan}
        offered={offered}
        rows={rows}
        which={which}
        left={left}
        target={target}
        {...(onlyGiven && offered.length < plan.rows.length && { onShowAll: () => setOnlyGiven(false) })}
        onWhich={setWhich}
        onLeave={setLeft}
      />
      {isTooMany && (
        <Text size="sm" c="red" role="status">
          {sentences.tooManyNamesToCopy}
        </Text>
      )}
      <div className="copy-actions">
        {plan.rows.length > 0 && <NoteField note={note} onNote={setNote} />}
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <SubmitButton disabled={!canSubmit}>{submitLabel(chosen.length)}</SubmitButton>
      </div>
    </Form>
  )
}

function submitLabel(count: number): string {
  if (count === 0) return "Copy"
  return `Copy ${counted(count, "item")}`
}
