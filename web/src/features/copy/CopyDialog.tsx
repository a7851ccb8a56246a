import { allows, type Collection, type Environment } from "@envkeep/contract"
import { Text } from "@mantine/core"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { collectionQuery } from "../../lib/collection-query.ts"
import { Dialog } from "../../ui/Dialog.tsx"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { CopyEnds } from "./CopyEnds.tsx"
import { CopyForm } from "./CopyForm.tsx"
import { hasValues, sourceOf } from "./copy-plan.ts"
import "./copy.css"

interface CopyDialogProps {
  collectionId: number
  /** The ids of the environments, if they are known already. They can still be changed. */
  from?: number | undefined
  to?: number | undefined
  /** Only these names are offered, until others are asked for. */
  names?: readonly string[] | undefined
  onClose: () => void
}

/** Copies items from one environment to another. It is open as long as it is rendered. */
export function CopyDialog({ collectionId, onClose, ...given }: CopyDialogProps) {
  const { data, error, refetch } = useQuery(collectionQuery(useQueryClient(), collectionId))
  return (
    <Dialog opened onClose={onClose} title="Copy items" size="xl" closesOutside={false} fillsPhone>
      {data !== undefined && <Copy collection={data} {...given} onClose={onClose} />}
      {data === undefined && error === null && <Spinner />}
      {data === undefined && error !== null && (
        <LoadFailed title="This collection could not be loaded" message={error.message} onRetry={refetch} />
      )}
    </Dialog>
  )
}

type CopyProps = Omit<CopyDialogProps, "collectionId"> & { collection: Collection }

function Copy({ collection, from, to, names, onClose }: CopyProps) {
  const { role, subCollections: environments } = collection
  const sources = environments.filter((one) => hasValues(one, environments))
  const targets = environments.filter((one) => allows(role, "editor", one) && !one.valuesHidden)
  const [ends, setEnds] = useState<{ from: number | undefined; to: number | undefined }>({ from, to })
  const others = sources.filter(({ id }) => id !== ends.to)
  const source = find(sources, ends.from) ?? sourceOf(names ?? [], others, environments)
  const target = find(targets, ends.to) ?? (targets.length === 2 ? other(targets, source) : undefined)
  const isSame = source !== undefined && source.id === target?.id
  if (source === undefined) {
    return (
      <Text size="sm" c="dimmed">
        There is nothing to copy: no other environment of this collection has items that you can see.
      </Text>
    )
  }
  return (
    <>
      <CopyEnds
        sources={sources}
        targets={targets}
        source={source}
        target={isSame ? undefined : target}
        onChoose={setEnds}
      />
      {target === undefined || isSame ? (
        <Text size="sm" c="dimmed" mt="md" role="status">
          Choose where to copy to. You will see what changes first.
        </Text>
      ) : (
        <CopyForm
          // Another pair of environments is another question.
          key={`${source.id} ${target.id}`}
          source={source}
          target={target}
          environments={environments}
          names={names}
          onClose={onClose}
        />
      )}
    </>
  )
}

function find(environments: Environment[], id: number | undefined): Environment | undefined {
  return environments.find((one) => one.id === id)
}

function other(environments: Environment[], environment: Environment | undefined): Environment | undefined {
  return environments.find(({ id }) => id !== environment?.id)
}
