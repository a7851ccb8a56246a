import type { Icon as IconShape } from "@tabler/icons-react"

/** As large as the text beside it. Screen readers skip it: what it stands for is always written as well. */
export function Icon({ shape: Shape }: { shape: IconShape }) {
  return <Shape size="1.125em" stroke={1.9} aria-hidden="true" />
}
