import type { Environment } from "@envkeep/contract"
import { Alert } from "@mantine/core"

interface CopyWarningsProps {
  source: Environment
  target: Environment
  isConfirmed: boolean
  onConfirm: (isConfirmed: boolean) => void
}

export function CopyWarnings({ source, target, isConfirmed, onConfirm }: CopyWarningsProps) {
  if (target.isProtected) {
    return (
      <Alert role="group" className="danger-note" title={`${target.name} is protected`}>
        Apps that read it get the new values within a second. Confirm that it may change:
        <label className="copy-confirm inline-choice">
          <input type="checkbox" checked={isConfirmed} onChange={() => onConfirm(!isConfirmed)} />
          <span>
            Change <strong className="breaks-anywhere">{target.name}</strong>
          </span>
        </label>
      </Alert>
    )
  }
  if (!source.isProtected) return null
  return (
    <Alert role="group" className="danger-note" title={`${source.name} is protected, ${target.name} is not`}>
      After the copy, all readers and editors of this collection see these values in {target.name}.
    </Alert>
  )
}
