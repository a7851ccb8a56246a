import { Table, UnstyledButton, VisuallyHidden } from "@mantine/core"
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react"
import { sizeInWords } from "../../lib/size.ts"
import { formatNumber } from "../../ui/counts.ts"
import { Icon } from "../../ui/Icon.tsx"
import { AccountActions } from "./AccountActions.tsx"
import { AccountStatus, LastSignIn } from "./AccountParts.tsx"
import { type AccountListProps, accountColumns } from "./account-columns.ts"

const statusColumnAt = 2

export function AccountTable({ accounts, sort, order, onSort }: AccountListProps) {
  const heads = accountColumns.map(({ sort: key, label, firstOrder, isNumber = false }) => {
    const isSorted = key === sort
    const next = isSorted ? (order === "asc" ? "desc" : "asc") : firstOrder
    return (
      <Table.Th
        key={key}
        ta={isNumber ? "right" : "left"}
        aria-sort={isSorted ? (order === "asc" ? "ascending" : "descending") : "none"}
      >
        <UnstyledButton className="account-sort" onClick={() => onSort(key, next)}>
          {label}
          {isSorted && <Icon shape={order === "asc" ? IconArrowUp : IconArrowDown} />}
        </UnstyledButton>
      </Table.Th>
    )
  })
  return (
    <section className="card accounts" aria-label="All users">
      <Table.ScrollContainer
        minWidth={900}
        scrollAreaProps={{ viewportProps: { tabIndex: 0, role: "region", "aria-label": "Users" } }}
      >
        <Table verticalSpacing={9} horizontalSpacing="md">
          <Table.Thead>
            <Table.Tr>
              {heads.slice(0, statusColumnAt)}
              <Table.Th>Status</Table.Th>
              {heads.slice(statusColumnAt)}
              <Table.Th>
                <VisuallyHidden>Actions</VisuallyHidden>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {accounts.map((account) => (
              <Table.Tr key={account.id} data-disabled={account.isDisabled || undefined}>
                <Table.Td className="accounts__name breaks-anywhere">{account.username}</Table.Td>
                <Table.Td className="accounts__email breaks-anywhere">{account.email}</Table.Td>
                <Table.Td>
                  <AccountStatus account={account} />
                </Table.Td>
                <Table.Td className="accounts__time">
                  <LastSignIn account={account} />
                </Table.Td>
                <Table.Td ta="right">{formatNumber(account.collections)}</Table.Td>
                <Table.Td ta="right">{formatNumber(account.items)}</Table.Td>
                <Table.Td ta="right" className="accounts__time">
                  {sizeInWords(account.bytes)}
                </Table.Td>
                <Table.Td w="1%">
                  <AccountActions account={account} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </section>
  )
}
