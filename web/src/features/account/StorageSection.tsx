import type { StorageUse } from "@envkeep/contract"
import { Text, Title } from "@mantine/core"
import { useStorage } from "./queries.ts"

export function StorageSection() {
  const { data, isError } = useStorage()
  return (
    <section className="card profile-section">
      <div>
        <Title order={2}>Storage</Title>
        <Text size="sm" c="dimmed" mt={4}>
          Your values, and a little for everything that has a name.
        </Text>
      </div>
      <div className="storage">
        <Text size="sm" fw={600}>
          {data === undefined ? isError && "This could not be loaded." : inWords(data)}
        </Text>
        {data !== undefined && data.quotaBytes !== null && (
          <div className="storage__bar" aria-hidden="true">
            <div style={{ width: `${Math.min(100, (100 * data.usedBytes) / data.quotaBytes)}%` }} />
          </div>
        )}
      </div>
    </section>
  )
}

function inWords({ usedBytes, quotaBytes }: StorageUse): string {
  const used = usedBytes > 0 && usedBytes < 100_000 ? "Less than 0.1 MB" : megabytes(usedBytes)
  return quotaBytes === null ? `${used} used` : `${used} of ${megabytes(quotaBytes)} used`
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toLocaleString("en-US", { maximumFractionDigits: 1 })} MB`
}
