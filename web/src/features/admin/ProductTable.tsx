import type { Product } from "@envkeep/contract"
import { Table } from "@mantine/core"
import { IconBox } from "@tabler/icons-react"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { Icon } from "../../ui/Icon.tsx"

export function ProductTable({ products }: { products: Product[] }) {
  return (
    <>
      <Table.ScrollContainer
        minWidth={640}
        scrollAreaProps={{ viewportProps: { tabIndex: 0, role: "region", "aria-label": "Products" } }}
      >
        <Table verticalSpacing="sm" horizontalSpacing="lg">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>ID</Table.Th>
              <Table.Th>Name</Table.Th>
              <Table.Th>Description</Table.Th>
              <Table.Th>Type</Table.Th>
              <Table.Th>Category</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {products.map(({ id, name, description, type, category }) => (
              <Table.Tr key={id}>
                <Table.Td>{id}</Table.Td>
                <Table.Td className="breaks-anywhere" fw={600} miw={120}>
                  {name}
                </Table.Td>
                <Table.Td className="breaks-anywhere" miw={160}>
                  {description}
                </Table.Td>
                <Table.Td>
                  <span className="chip">{type}</span>
                </Table.Td>
                <Table.Td className="breaks-anywhere" ff="monospace" fz="0.8125rem">
                  {category}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {products.length === 0 && <EmptyState icon={<Icon shape={IconBox} />} title="No data found" />}
    </>
  )
}
