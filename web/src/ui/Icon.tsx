import type { Icon as IconShape } from "@tabler/icons-react"

/** As large as the text beside it. Hidden from screen readers, because every icon has a text label. */
export function Icon({ shape: Shape }: { shape: IconShape }) {
  return <Shape size="1.125em" stroke={1.9} aria-hidden="true" />
}
