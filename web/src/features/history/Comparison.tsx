import type { EnvironmentSummary } from "@envkeep/contract"
import { Button } from "@mantine/core"
import { IconArrowBackUp, IconArrowRight } from "@tabler/icons-react"
import { Icon } from "../../ui/Icon.tsx"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { ChangeList } from "./ChangeList.tsx"
import { useChanges, useRevision } from "./queries.ts"
import { TimeAgo } from "./TimeAgo.tsx"
import { WhatWasDone } from "./WhatWasDone.tsx"

interface ComparisonProps {
  environment: EnvironmentSummary
  earlier: number
  later: number
  onRestore: (revision: number) => void
  /** Opens the history of a name. */
  onItem: (name: string) => void
}

/** What differs between two revisions. */
export function Comparison({ environment, earlier, later, onRestore, onItem }: ComparisonProps) {
  const { data, error, refetch } = useChanges(environment.id, later, earlier)
  return (
    <>
      <div className="compared">
        <Compared environment={environment} number={earlier} onRestore={onRestore} />
        <Icon shape={IconArrowRight} />
        <Compared environment={environment} number={later} onRestore={onRestore} />
      </div>
      <div className="card comparison">
        {data !== undefined && <ChangeList changes={data.changes} none="Both hold the same items." onItem={onItem} />}
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
  onRestore: (revision: number) => void
}

function Compared({ environment, number, onRestore }: ComparedProps) {
  const { data } = useRevision(environment.id, number)
  return (
    <div className="card compared__revision">
      <div className="compared__head">
        <h2 className="compared__title">{`Revision ${number}`}</h2>
        {number === environment.revision && <span className="chip chip--current">Current</span>}
        {data != null && number !== environment.revision && (
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
      {data != null && (
        <p className="breaks-anywhere">
          <WhatWasDone revision={data} />, <TimeAgo at={data.at} />
        </p>
      )}
      {data != null && data.note !== "" && <p className="revision__note">{data.note}</p>}
    </div>
  )
}
