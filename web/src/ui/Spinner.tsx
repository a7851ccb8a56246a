import { Center, Loader } from "@mantine/core"

/** Fills its area. */
export function Spinner({ size = 24 }: { size?: number }) {
  return (
    <Center className="spinner" role="status" aria-label="Loading">
      <Loader size={size} />
    </Center>
  )
}
