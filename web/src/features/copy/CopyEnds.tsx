import type { Environment } from "@envkeep/contract"
import { NativeSelect } from "@mantine/core"
import { IconArrowsExchange } from "@tabler/icons-react"
import { Icon } from "../../ui/Icon.tsx"
import { IconButton } from "../../ui/IconButton.tsx"

interface CopyEndsProps {
  sources: Environment[]
  targets: Environment[]
  source: Environment
  /** Undefined until it is chosen. */
  target: Environment | undefined
  onChoose: (ends: { from: number; to: number | undefined }) => void
}

/** Where the items come from and where they go. */
export function CopyEnds({ sources, targets, source, target, onChoose }: CopyEndsProps) {
  const canSwap = target !== undefined && sources.includes(target) && targets.includes(source)
  const others = targets.filter(({ id }) => id !== source.id)
  return (
    <div className="copy-ends">
      <NativeSelect
        label="From"
        value={source.id}
        data={sources.map(option)}
        onChange={({ currentTarget }) => {
          const from = Number(currentTarget.value)
          // The two can not be the same, so they change places.
          onChoose({ from, to: from === target?.id ? source.id : target?.id })
        }}
      />
      <IconButton
        label="Swap the two environments"
        className="copy-ends__swap"
        disabled={!canSwap}
        onClick={() => target !== undefined && onChoose({ from: target.id, to: source.id })}
      >
        <Icon shape={IconArrowsExchange} />
      </IconButton>
      <NativeSelect
        label="To"
        value={target?.id ?? ""}
        data={[...(target === undefined ? [{ value: "", label: "Choose an environment" }] : []), ...others.map(option)]}
        data-autofocus={target === undefined ? true : undefined}
        onChange={({ currentTarget }) => onChoose({ from: source.id, to: Number(currentTarget.value) || undefined })}
      />
    </div>
  )
}

function option({ id, name, isProtected }: Environment) {
  return { value: String(id), label: isProtected ? `${name} (protected)` : name }
}
