import { Button } from "@mantine/core"
import { IconEye, IconEyeOff } from "@tabler/icons-react"
import { Icon } from "./Icon.tsx"

interface ShowValuesProps {
  /** What is shown or hidden, if that is not clear from its place. */
  what?: string
  shown: boolean
  onToggle: () => void
}

export function ShowValues({ what = "values", shown, onToggle }: ShowValuesProps) {
  return (
    <Button
      variant="subtle"
      color="gray"
      size="xs"
      leftSection={shown ? <Icon shape={IconEyeOff} /> : <Icon shape={IconEye} />}
      onClick={onToggle}
    >
      {shown ? `Hide ${what}` : `Show ${what}`}
    </Button>
  )
}
