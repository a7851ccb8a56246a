import type { SizedKind, Sizes } from "@envkeep/contract"
import { Button, Table, Title } from "@mantine/core"
import { IconBox } from "@tabler/icons-react"
import type { ReactNode } from "react"
import { Link } from "react-router"
import { sizeInWords } from "../../lib/size.ts"
import { formatNumber } from "../../ui/counts.ts"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { useSizes } from "./queries.ts"

type Distribution = Sizes["distributions"][number]

/** What a thing of a kind is called, in the heads of its tables. */
const counted = {
  collections: { one: "collection", many: "Collections", largest: "Largest collections" },
  environments: { one: "environment", many: "Environments", largest: "Largest environments" },
  items: { one: "account", many: "Accounts", largest: "Accounts that store most" },
} as const

const measures = { environments: "Environments", items: "Items", bytes: "Size" } as const

export function SizesSection({ kind }: { kind: SizedKind }) {
  const { data, error, refetch } = useSizes(kind)
  if (data === undefined) {
    if (error === null) return <Spinner />
    return <LoadFailed title="The sizes could not be loaded" message={error.message} onRetry={refetch} />
  }
  if (kind === "subscriptions") return <ByProduct products={data.products} />
  const { one, many, largest } = counted[kind]
  return (
    <>
      <div className="sizes">
        {data.distributions.map((distribution) => (
          <DistributionTable
            key={distribution.measure}
            title={`${measures[distribution.measure]} per ${one}`}
            many={many}
            distribution={distribution}
          />
        ))}
      </div>
      {data.largest.length > 0 && <Largest title={largest} kind={kind} rows={data.largest} />}
    </>
  )
}

interface DistributionTableProps {
  title: string
  many: string
  distribution: Distribution
}

function DistributionTable({ title, many, distribution: { measure, ranges } }: DistributionTableProps) {
  const most = Math.max(1, ...ranges.map(({ count }) => count))
  return (
    <SizedCard title={title}>
      <Table verticalSpacing={7} horizontalSpacing="lg" withRowBorders={false}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{measures[measure]}</Table.Th>
            <Table.Th ta="right">{many}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {ranges.map(({ from, to, count }) => (
            <Table.Tr key={from}>
              <Table.Td className="sizes__range">{rangeInWords(measure, from, to)}</Table.Td>
              <Table.Td>
                <span className="sizes__count">
                  <span className="sizes__bar" aria-hidden="true">
                    <span style={{ width: `${(100 * count) / most}%` }} />
                  </span>
                  <span className="sizes__number">{formatNumber(count)}</span>
                </span>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </SizedCard>
  )
}

function rangeInWords(measure: Distribution["measure"], from: number, to: number | null): string {
  const isSize = measure === "bytes"
  const number = (value: number) => (isSize ? sizeInWords(value) : formatNumber(value))
  // Sizes begin one byte after the range before: what people read is its end.
  if (to === null) return isSize ? `More than ${number(from - 1)}` : `${number(from)} and more`
  if (from === to) return isSize ? "Nothing" : number(from)
  return isSize ? `Up to ${number(to)}` : `${number(from)} – ${number(to)}`
}

interface LargestProps {
  title: string
  kind: keyof typeof counted
  rows: Sizes["largest"]
}

function Largest({ title, kind, rows }: LargestProps) {
  return (
    <SizedCard title={title}>
      <Table.ScrollContainer
        minWidth={520}
        scrollAreaProps={{ viewportProps: { tabIndex: 0, role: "region", "aria-label": title } }}
      >
        <Table verticalSpacing="sm" horizontalSpacing="lg">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>ID</Table.Th>
              <Table.Th>{kind === "items" ? "Account" : "Owner"}</Table.Th>
              {kind === "collections" && <Table.Th ta="right">Environments</Table.Th>}
              <Table.Th ta="right">Items</Table.Th>
              <Table.Th ta="right">Size</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map(({ id, owner, environments, items, bytes }) => (
              <Table.Tr key={id}>
                <Table.Td>{id}</Table.Td>
                <Table.Td className="breaks-anywhere" miw={150}>
                  {owner.username}
                </Table.Td>
                {kind === "collections" && (
                  <Table.Td ta="right">{environments !== null && formatNumber(environments)}</Table.Td>
                )}
                <Table.Td ta="right">{formatNumber(items)}</Table.Td>
                <Table.Td ta="right" className="sizes__size">
                  {sizeInWords(bytes)}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </SizedCard>
  )
}

/** Administrators make the products, so these have names. */
function ByProduct({ products }: Pick<Sizes, "products">) {
  return (
    <SizedCard title="Subscriptions per product">
      {products.length === 0 ? (
        <EmptyState icon={<Icon shape={IconBox} />} title="No products yet">
          <Button component={Link} to="/admin/products" variant="default" mt="xs">
            Create a product
          </Button>
        </EmptyState>
      ) : (
        <Table verticalSpacing="sm" horizontalSpacing="lg">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Product</Table.Th>
              <Table.Th ta="right">Subscriptions</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {products.map(({ id, name, subscriptions }) => (
              <Table.Tr key={id}>
                <Table.Td className="breaks-anywhere">{name}</Table.Td>
                <Table.Td ta="right">{formatNumber(subscriptions)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </SizedCard>
  )
}

function SizedCard({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="card sized-card">
      <Title order={2} fz="1.0625rem" px={20} pt={20} pb={8}>
        {title}
      </Title>
      {children}
    </section>
  )
}
