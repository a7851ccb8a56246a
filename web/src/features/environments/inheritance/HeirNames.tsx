import type { Environment } from "@envkeep/contract"
import { formatNumber, plural } from "../../../ui/counts.ts"

/** More would push the question out of view. */
const maxNames = 5

/** "staging inherits from it", "dev, test and 3 more inherit from it". */
export function HeirNames({ heirs }: { heirs: readonly Environment[] }) {
  const more = heirs.length - maxNames
  const names = heirs.slice(0, more === 1 ? maxNames + 1 : maxNames).map(({ name }) => name)
  const listed = more > 1 ? [...names, `${formatNumber(more)} more`] : names
  return (
    <>
      <strong>{new Intl.ListFormat("en-GB").format(listed)}</strong>
      {plural(heirs.length, " inherits from it", " inherit from it")}
    </>
  )
}
