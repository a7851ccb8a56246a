import type { EnvironmentSummary, ListedRevision } from "@envkeep/contract"
import { Button } from "@mantine/core"
import { IconArrowBackUp, IconChevronRight, IconGitCompare, IconGitFork } from "@tabler/icons-react"
import { useId, useState } from "react"
import { Link } from "react-router"
import { exactTime } from "../../lib/relative-time.ts"
import { TimeAgo } from "../../lib/TimeAgo.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { initialOf } from "../../ui/PersonName.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { ChangeList, type OnItem } from "./ChangeList.tsx"
import { InheritedPruned } from "./InheritedPruned.tsx"
import { useChanges, useEnvironmentNames } from "./queries.ts"
import { WhatWasDone } from "./WhatWasDone.tsx"
import { isInherited, whoDidIt } from "./words.ts"

interface RevisionEntryProps {
  environment: EnvironmentSummary
  revision: ListedRevision
  /** The newest revision. */
  current: number
  /** Whether it is chosen for a comparison. */
  chosen: boolean
  onChoose: () => void
  /** Undefined if the user's role does not allow it. */
  onRestore: (() => void) | undefined
  onItem: OnItem
}

/** One revision of the timeline. It opens to what it changed. */
export function RevisionEntry({ environment, revision, current, chosen, onChoose, ...on }: RevisionEntryProps) {
  const [opened, setOpened] = useState(false)
  const content = useId()
  const { number, by, at, note } = revision
  return (
    <li aria-label={`Revision ${number}`}>
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
              <WhatWasDone revision={revision} collectionId={environment.collectionId} />
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

type RevisionDetailsProps = Pick<RevisionEntryProps, "environment" | "revision" | "current" | "onRestore" | "onItem">

function RevisionDetails({ environment, revision, current, onRestore, onItem }: RevisionDetailsProps) {
  const { number, at, action, baseId, baseRevision } = revision
  const { data, error, refetch } = useChanges(environment.id, number)
  const names = useEnvironmentNames(environment.collectionId)
  if (data === undefined) {
    if (error === null) return <Spinner />
    return <LoadFailed title="This revision could not be loaded" message={error.message} onRetry={refetch} />
  }
  const none = action === "environment.rename" ? "The items stayed as they were." : "No item changed."
  const base = baseId === null ? undefined : names.get(baseId)
  return (
    <>
      <p className="revision__time">
        <time dateTime={at}>{exactTime(at)}</time>
      </p>
      {data.isInheritedPruned && <InheritedPruned />}
      <ChangeList
        changes={data.changes}
        none={isInherited(revision) ? "Nothing that it gets from there changed." : none}
        environmentNames={names}
        onItem={onItem}
      >
        {isInherited(revision) && base !== undefined && baseRevision !== null && baseRevision > 1 && (
          <Button
            component={Link}
            to={`/collection/${environment.collectionId}/history/${baseId}?compare=${baseRevision - 1}-${baseRevision}`}
            variant="subtle"
            color="gray"
            size="xs"
            leftSection={<Icon shape={IconGitFork} />}
          >
            {`Revision ${baseRevision} of ${base}`}
          </Button>
        )}
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
            {onRestore !== undefined && (
              <Button variant="default" size="xs" leftSection={<Icon shape={IconArrowBackUp} />} onClick={onRestore}>
                Restore…
              </Button>
            )}
          </>
        )}
      </ChangeList>
    </>
  )
}
