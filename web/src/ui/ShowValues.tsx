import { Button } from "@mantine/core"
import { EyeIcon, EyeOffIcon } from "./icons.tsx"

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
      leftSection={shown ? <EyeOffIcon /> : <EyeIcon />}
      onClick={onToggle}
    >
      {shown ? "Hide values" : "Show values"}
    </Button>
  )
}
