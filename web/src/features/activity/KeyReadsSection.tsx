import { clientName } from "@envkeep/contract"
import { Button, Table, Text, Title } from "@mantine/core"
import { exactTime } from "../../lib/relative-time.ts"
import { formatNumber } from "../../ui/counts.ts"
import { ScrollBox } from "../../ui/ScrollBox.tsx"
import { useKeyReads } from "./queries.ts"

interface KeyReadsSectionProps {
  collectionId: number
  environments: readonly { id: number; name: string }[]
}

/** How often each key was read. Absent until one was. */
export function KeyReadsSection({ collectionId, environments }: KeyReadsSectionProps) {
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useKeyReads(collectionId)
  const reads = data?.pages.flatMap((page) => page.reads) ?? []
  if (reads.length === 0) return null
  const names = new Map(environments.map(({ id, name }) => [id, name]))
  return (
    <section className="key-reads" aria-label="Reads by API key">
      <Title order={2} mb={10} fz="0.9375rem">
        Reads by API key
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        Counted by key, network and hour. A crash of the server can lose the last seconds of these counts.
      </Text>
      <div className="card key-reads__table">
        <ScrollBox label="Reads by API key">
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Hour</Table.Th>
                <Table.Th>API key</Table.Th>
                <Table.Th>Environment</Table.Th>
                <Table.Th>Network</Table.Th>
                <Table.Th>Program</Table.Th>
                <Table.Th ta="right">Reads</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {reads.map((row) => (
                <Table.Tr key={row.id}>
                  <Table.Td className="key-reads__hour">{exactTime(row.hour)}</Table.Td>
                  <Table.Td>{row.key.name}</Table.Td>
                  <Table.Td>{names.get(row.environmentId) ?? "Deleted"}</Table.Td>
                  <Table.Td>{row.address}</Table.Td>
                  <Table.Td>{clientName(row.client)}</Table.Td>
                  <Table.Td ta="right">{formatNumber(row.reads)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </ScrollBox>
      </div>
      {hasNextPage && (
        <div className="activity-more">
          <Button variant="default" loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
            Show older reads
          </Button>
        </div>
      )}
    </section>
  )
}
