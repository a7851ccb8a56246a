import type { Environment } from "@envkeep/contract"
import type { Variable } from "@envkeep/formats"
import { Button, Text } from "@mantine/core"
import { useState } from "react"
import { useMaskWhenIdle } from "../../../lib/mask-after.ts"
import { WhoAndWhen } from "../../../lib/WhoAndWhen.tsx"
import { Dialog } from "../../../ui/Dialog.tsx"
import { LongList } from "../../../ui/LongList.tsx"
import { ScrollBox } from "../../../ui/ScrollBox.tsx"
import { ShowValues } from "../../../ui/ShowValues.tsx"
import { useLast } from "../../../ui/use-last.ts"
import { useOnce } from "../../../ui/use-once.ts"
import { useRevision } from "../../history/queries.ts"
import { differences, type NameDifference, type NameSide } from "./raw-merge.ts"

/** Both sides of a conflict between the text and what was stored while it was edited. */
export interface RawClash {
  now: Environment
  /** What the text says. */
  mine: Variable[]
}

interface RawConflictProps {
  before: Environment
  /** Undefined when there is no conflict. */
  clash: RawClash | undefined
  onTakeTheirs: (clash: RawClash) => void
  onSaveAnyway: (now: Environment) => Promise<unknown>
  onClose: () => void
}

/** Asks which changes to keep after the environment was changed elsewhere while its text was open. */
export function RawConflict({ before, clash, onTakeTheirs, onSaveAnyway, onClose }: RawConflictProps) {
  const asked = useLast(clash)
  const [saveAnyway, pending] = useOnce(async () => clash && onSaveAnyway(clash.now))
  return (
    <Dialog opened={clash !== undefined} onClose={onClose} title="Changed elsewhere" size="xl" centered inFront>
      {asked && <Differences before={before} {...asked} />}
      <Text size="sm" c="dimmed" mt="sm">
        Nothing has been saved yet. Take theirs to have these changes in your text, where all your other lines stay.
        Save anyway to undo them.
      </Text>
      <div className="raw-actions">
        <Button variant="default" onClick={onClose} data-autofocus>
          Keep editing
        </Button>
        <Button variant="default" onClick={() => clash && onTakeTheirs(clash)}>
          Take their changes
        </Button>
        <Button color="red" loading={pending} onClick={saveAnyway}>
          Save anyway
        </Button>
      </div>
    </Dialog>
  )
}

function Differences({ before, now, mine }: { before: Environment } & RawClash) {
  const [shown, setShown] = useState(false)
  useMaskWhenIdle(shown, () => setShown(false))
  const change = useRevision(now.id, now.revision)
  const rows = differences(before.collectionItems, now.collectionItems, mine)
  return (
    <>
      <div className="raw-clash__head">
        <Text size="sm">
          <WhoAndWhen what="Changed" known={change} />, after you opened it:
        </Text>
        <ShowValues shown={shown} onToggle={() => setShown(!shown)} />
      </div>
      <ScrollBox label="Changes">
        <LongList
          label="Changes"
          rows={rows}
          keyOf={({ name }) => name}
          render={(row) => <Difference {...row} shown={shown} />}
        />
      </ScrollBox>
    </>
  )
}

function Difference({ name, theirs, mine, shown }: NameDifference & { shown: boolean }) {
  return (
    <div className="raw-clash">
      <code className="raw-clash__name">{name}</code>
      <dl className="raw-clash__sides">
        <dt>Theirs</dt>
        <dd>
          <Side {...theirs} shown={shown} />
        </dd>
        <dt>Yours</dt>
        <dd>
          <Side {...mine} shown={shown} />
        </dd>
      </dl>
    </div>
  )
}

function Side({ fate, value, shown }: NameSide & { shown: boolean }) {
  if (value === undefined) return fate === "removed" ? "removed" : "not there"
  return (
    <>
      {fate} <code className="raw-clash__value">{textOf(value, shown)}</code>
    </>
  )
}

/** Enough to recognise a long value. */
const shownCharacters = 500

function textOf(value: string | null, shown: boolean): string {
  if (value === null) return "damaged"
  if (value === "") return "empty"
  if (!shown) return "••••••••"
  return value.length > shownCharacters ? `${value.slice(0, shownCharacters)}…` : value
}
