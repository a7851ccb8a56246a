import type { Instance } from "@envkeep/contract"
import { Button, Group, Text } from "@mantine/core"
import { TimeAgo } from "../../lib/TimeAgo.tsx"
import { formatNumber, plural } from "../../ui/counts.ts"
import { Dialog } from "../../ui/Dialog.tsx"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { LongList } from "../../ui/LongList.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { useInstances } from "./queries.ts"

interface InstancesDialogProps {
  environment: { id: number; name: string }
  opened: boolean
  onClose: () => void
}

/** The programs that read an environment, and which of its revisions each of them holds. */
export function InstancesDialog({ environment, opened, onClose }: InstancesDialogProps) {
  const { data, error, refetch } = useInstances(environment.id, opened)
  return (
    <Dialog opened={opened} onClose={onClose} title={`What runs with ${environment.name}`} size="lg" fillsPhone>
      {data === undefined && error === null && <Spinner />}
      {data === undefined && error !== null && (
        <LoadFailed title="The list could not be loaded" message={error.message} onRetry={refetch} />
      )}
      {data !== undefined && (
        <>
          <Text size="sm" c="dimmed" mb="md">
            {summaryOf(data)} A program is listed if it reads with the envkeep client, and names itself by its host or
            by ENVKEEP_INSTANCE.
          </Text>
          <LongList
            label="Instances"
            rows={data.instances}
            keyOf={({ id }) => id}
            search={{ label: "Find an instance", textOf: ({ label, keyName }) => `${label} ${keyName}` }}
            render={(instance) => <InstanceRow instance={instance} newest={data.revision} />}
          />
        </>
      )}
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={onClose} data-autofocus>
          Close
        </Button>
      </Group>
    </Dialog>
  )
}

function summaryOf({ running, current, gone }: { running: number; current: number; gone: number }): string {
  if (running === 0) return gone === 0 ? "Nothing runs." : "Nothing runs any more."
  if (current === running)
    return plural(running, "It runs the new value.", `All ${formatNumber(running)} run the new value.`)
  const behind = running - current
  return `${formatNumber(behind)} of ${formatNumber(running)} still ${plural(behind, "runs", "run")} the old value.`
}

const stateWords = { current: "Current", behind: "Behind", gone: "Gone" }

function InstanceRow({ instance, newest }: { instance: Instance; newest: number }) {
  const { label, state, revision, since, lastSeenAt, isWatching, keyName, client, address } = instance
  return (
    <div className="instance">
      <div className="instance__head">
        <span className="instance__label">{label}</span>
        <span className={`chip instance__state instance__state--${state}`}>{stateWords[state]}</span>
      </div>
      <div className="instance__facts">
        <span>{revision === newest ? `Revision ${revision}` : `Revision ${revision} of ${newest}`}</span>
        <span>
          since <TimeAgo at={since} />
        </span>
        {isWatching ? (
          <span>watches for changes</span>
        ) : (
          <span>
            last read <TimeAgo at={lastSeenAt} />
          </span>
        )}
      </div>
      <div className="instance__facts">
        <span>key {keyName}</span>
        {client !== "" && <span>{client}</span>}
        <span>{address}</span>
      </div>
    </div>
  )
}
