import { Button } from "@mantine/core"
import { useDisclosure } from "@mantine/hooks"
import type { OnRefused } from "../../lib/write.ts"
import { TypedNameDialog } from "./TypedNameDialog.tsx"

interface EmptyTrashProps {
  /** "3 collections". */
  contents: string
  /** What has to be typed, and what it is. */
  name: string
  label: string
  empty: (typed: string, onRefused: OnRefused) => Promise<unknown>
}

export function EmptyTrash({ contents, name, label, empty }: EmptyTrashProps) {
  const [asking, ask] = useDisclosure(false)
  return (
    <>
      <Button variant="default" className="danger-button" onClick={ask.open}>
        Empty trash
      </Button>
      <TypedNameDialog
        opened={asking}
        title="Empty the trash?"
        name={name}
        label={label}
        confirm="Delete forever"
        onConfirm={empty}
        onClose={ask.close}
      >
        {contents} and everything in them are deleted forever. This cannot be undone.
      </TypedNameDialog>
    </>
  )
}
