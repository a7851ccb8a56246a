import { Button } from "@mantine/core"
import { IconEye, IconEyeOff } from "@tabler/icons-react"
import { Icon } from "./Icon.tsx"

interface ShowValuesProps {
  shown: boolean
  onToggle: () => void
}

export function ShowValues({ shown, onToggle }: ShowValuesProps) {
  return (
    <Button
      variant="subtle"
      color="gray"
      size="xs"
      leftSection={shown ? <Icon shape={IconEyeOff} /> : <Icon shape={IconEye} />}
      onClick={onToggle}
    >
      {shown ? "Hide values" : "Show values"}
    </Button>
  )
}
