import type { EnvironmentSummary } from "@envkeep/contract"
import { Button } from "@mantine/core"
import { IconArrowBackUp, IconArrowRight } from "@tabler/icons-react"
import { TimeAgo } from "../../lib/TimeAgo.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { ChangeList, type OnItem } from "./ChangeList.tsx"
import { InheritedPruned } from "./InheritedPruned.tsx"
import { useChanges, useEnvironmentNames, useRevision } from "./queries.ts"
import { WhatWasDone } from "./WhatWasDone.tsx"
import "./comparison.css"

interface ComparisonProps {
  environment: EnvironmentSummary
  earlier: number
  later: number
  /** Undefined if the user's role does not allow it. */
  onRestore: ((revision: number) => void) | undefined
  onItem: OnItem
}

/** What differs between two revisions. */
export function Comparison({ environment, earlier, later, onRestore, onItem }: ComparisonProps) {
  const { data, error, refetch } = useChanges(environment.id, later, earlier)
  const names = useEnvironmentNames(environment.collectionId)
  return (
    <>
      <div className="compared">
        <Compared environment={environment} number={earlier} onRestore={onRestore} />
        <Icon shape={IconArrowRight} />
        <Compared environment={environment} number={later} onRestore={onRestore} />
      </div>
      <div className="card comparison">
        {data?.isInheritedPruned && <InheritedPruned />}
        {data !== undefined && (
          <ChangeList
            changes={data.changes}
            none="Both hold the same items."
            environmentNames={names}
            onItem={onItem}
          />
        )}
        {data === undefined && error === null && <Spinner />}
        {data === undefined && error !== null && (
          <LoadFailed title="These cannot be compared" message={error.message} onRetry={refetch} />
        )}
      </div>
    </>
  )
}

interface ComparedProps {
  environment: EnvironmentSummary
  number: number
  onRestore: ((revision: number) => void) | undefined
}

function Compared({ environment, number, onRestore }: ComparedProps) {
  const revision = useRevision(environment.id, number)
  return (
    <div className="card compared__revision">
      <div className="compared__head">
        <h2 className="compared__title">{`Revision ${number}`}</h2>
        {number === environment.revision && <span className="chip chip--current">Current</span>}
        {onRestore !== undefined && revision != null && number !== environment.revision && (
          <Button
            variant="default"
            size="xs"
            leftSection={<Icon shape={IconArrowBackUp} />}
            onClick={() => onRestore(number)}
          >
            Restore…
          </Button>
        )}
      </div>
      {revision != null && (
        <p className="breaks-anywhere">
          <WhatWasDone revision={revision} collectionId={environment.collectionId} />, <TimeAgo at={revision.at} />
        </p>
      )}
      {revision != null && revision.note !== "" && <p className="revision__note">{revision.note}</p>}
    </div>
  )
}
