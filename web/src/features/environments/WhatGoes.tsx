import type { Environment } from "@envkeep/contract"
import { TimeAgo } from "../../lib/TimeAgo.tsx"
import { counted } from "../../ui/counts.ts"

/** What is deleted with these environments, and whether their API keys are in use. */
export function WhatGoes({ environments }: { environments: Environment[] }) {
  const items = environments.reduce((sum, { itemCount }) => sum + itemCount, 0)
  const apiKeys = environments.flatMap((environment) => environment.apiKeys)
  const [lastUsed] = apiKeys
    .flatMap(({ name, lastUsedAt }) => (lastUsedAt === null ? [] : [{ name, at: lastUsedAt }]))
    .toSorted((one, other) => other.at.localeCompare(one.at))
  return (
    <ul className="what-goes">
      <li>
        <strong>{items === 0 ? "No items" : counted(items, "item")}</strong>
      </li>
      <li className="breaks-anywhere">
        <strong>{apiKeys.length === 0 ? "No API keys" : counted(apiKeys.length, "API key")}</strong>
        {apiKeys.length > 0 && lastUsed === undefined && ", never used"}
        {lastUsed !== undefined && (
          <>
            {", last used "}
            <TimeAgo at={lastUsed.at} />
            {apiKeys.length > 1 && ` (${lastUsed.name})`}
          </>
        )}
      </li>
    </ul>
  )
}
