import type { EnvironmentSummary, Revision } from "@envkeep/contract"
import { Button } from "@mantine/core"
import { IconArrowBackUp, IconChevronRight, IconGitCompare } from "@tabler/icons-react"
import { useId, useState } from "react"
import { Link } from "react-router"
import { exactTime } from "../../lib/relative-time.ts"
import { Icon } from "../../ui/Icon.tsx"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { ChangeList } from "./ChangeList.tsx"
import { useChanges } from "./queries.ts"
import { TimeAgo } from "./TimeAgo.tsx"
import { WhatWasDone } from "./WhatWasDone.tsx"
import { whoDidIt } from "./words.ts"

interface RevisionEntryProps {
  environment: EnvironmentSummary
  revision: Revision
  /** The newest revision. */
  current: number
  /** Whether it is chosen for a comparison. */
  chosen: boolean
  onChoose: () => void
  onRestore: () => void
  onItem: (name: string) => void
}

/** One revision of the timeline. It opens to what it changed. */
export function RevisionEntry({ environment, revision, current, chosen, onChoose, ...on }: RevisionEntryProps) {
  const [opened, setOpened] = useState(false)
  const content = useId()
  const { number, by, at, note } = revision
  return (
    <li className="revision" aria-label={`Revision ${number}`}>
      <div className="revision__head">
        <label className="revision__choice">
          <input type="checkbox" checked={chosen} onChange={onChoose} aria-label={`Compare revision ${number}`} />
        </label>
        <button
          type="button"
          className="revision__toggle"
          aria-expanded={opened}
          aria-controls={content}
          onClick={() => setOpened(!opened)}
        >
          <span className="revision__avatar" aria-hidden="true">
            {initialOf(whoDidIt(by))}
          </span>
          <span className="revision__text">
            <span className="breaks-anywhere">
              <WhatWasDone revision={revision} />
            </span>
            {note !== "" && <span className="revision__note">{note}</span>}
          </span>
          <span className="revision__meta">
            <TimeAgo at={at} />
            {number === current && <span className="chip chip--current">Current</span>}
            <span className="chip">{`Revision ${number}`}</span>
          </span>
          <span className="revision__chevron">
            <Icon shape={IconChevronRight} />
          </span>
        </button>
      </div>
      <div id={content} className="revision__content" hidden={!opened}>
        {opened && <RevisionDetails environment={environment} revision={revision} current={current} {...on} />}
      </div>
    </li>
  )
}

/** An emoji or a letter with accents is one character to its reader. */
function initialOf(who: string): string {
  const [first] = new Intl.Segmenter().segment(who)
  return first?.segment.toUpperCase() ?? ""
}

type RevisionDetailsProps = Pick<RevisionEntryProps, "environment" | "revision" | "current" | "onRestore" | "onItem">

function RevisionDetails({ environment, revision, current, onRestore, onItem }: RevisionDetailsProps) {
  const { number, at, action } = revision
  const { data, error, refetch } = useChanges(environment.id, number)
  if (data === undefined) {
    if (error === null) return <Spinner />
    return <LoadFailed title="This revision could not be loaded" message={error.message} onRetry={refetch} />
  }
  const none = action === "environment.rename" ? "The items stayed as they were." : "No item changed."
  return (
    <>
      <p className="revision__time">
        <time dateTime={at}>{exactTime(at)}</time>
      </p>
      <ChangeList changes={data.changes} none={none} onItem={onItem}>
        {number !== current && (
          <>
            <Button
              component={Link}
              to={`?compare=${number}-${current}`}
              variant="subtle"
              color="gray"
              size="xs"
              leftSection={<Icon shape={IconGitCompare} />}
            >
              Compare with now
            </Button>
            <Button variant="default" size="xs" leftSection={<Icon shape={IconArrowBackUp} />} onClick={onRestore}>
              Restore…
            </Button>
          </>
        )}
      </ChangeList>
    </>
  )
}
