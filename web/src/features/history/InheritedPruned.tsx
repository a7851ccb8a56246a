import { Text } from "@mantine/core"

/** Said where a comparison leaves out what was inherited. */
export function InheritedPruned() {
  return (
    <Text size="sm" c="dimmed" mb="xs">
      What was inherited then is no longer kept, so only the environment’s own items are compared.
    </Text>
  )
}
