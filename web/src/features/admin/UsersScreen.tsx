import { type AccountGroup, type AccountSort, accountGroups, limits } from "@envkeep/contract"
import { Button, CloseButton, Group, NativeSelect, Text, TextInput } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import { IconSearch, IconUsers } from "@tabler/icons-react"
import { useState } from "react"
import { Breadcrumb } from "../../ui/Breadcrumb.tsx"
import { counted, formatNumber } from "../../ui/counts.ts"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { Page } from "../../ui/Page.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { useIsPhone } from "../../ui/use-max-width.ts"
import { AccountCards } from "./AccountCards.tsx"
import { AccountTable } from "./AccountTable.tsx"
import { AdminLinks } from "./AdminLinks.tsx"
import { accountColumns } from "./account-columns.ts"
import { type AccountListing, useAccounts } from "./queries.ts"
import "./admin.css"

const searchDelayMs = 250

const groupLabels: Record<AccountGroup, string> = {
  everyone: "Everyone",
  admins: "Administrators",
  disabled: "Disabled accounts",
}

const firstListing: AccountListing = { search: "", show: "everyone", sort: "username", order: "asc", page: 1 }

export function UsersScreen() {
  const [listing, setListing] = useState(firstListing)
  const [search] = useDebouncedValue(listing.search, searchDelayMs)
  const { data, error, isFetching, refetch } = useAccounts({ ...listing, search })
  const isPhone = useIsPhone()
  const change = (changed: Partial<AccountListing>) => setListing({ ...listing, page: 1, ...changed })
  const isFiltered = listing.search !== "" || listing.show !== "everyone"
  const List = isPhone ? AccountCards : AccountTable
  return (
    <Page
      title="Users"
      lead="Who has an account, and how much they store. Names and values of what they own are not shown."
      breadcrumb={<Breadcrumb to="/admin/dashboard">Admin Dashboard</Breadcrumb>}
      actions={
        <Group gap="xs">
          <AdminLinks />
        </Group>
      }
    >
      <search className="account-tools" aria-label="Find users">
        <TextInput
          aria-label="Search"
          placeholder="Username or email"
          className="account-tools__search"
          autoComplete="off"
          spellCheck={false}
          maxLength={limits.email}
          leftSection={<Icon shape={IconSearch} />}
          rightSection={
            listing.search !== "" && (
              <CloseButton aria-label="Clear" size="sm" tabIndex={-1} onClick={() => change({ search: "" })} />
            )
          }
          value={listing.search}
          onChange={({ currentTarget }) => change({ search: currentTarget.value })}
          onKeyDown={({ key }) => key === "Escape" && change({ search: "" })}
        />
        <NativeSelect
          aria-label="Show"
          data={accountGroups.map((value) => ({ value, label: groupLabels[value] }))}
          value={listing.show}
          onChange={({ currentTarget }) =>
            change({ show: accountGroups.find((one) => one === currentTarget.value) ?? "everyone" })
          }
        />
        {isPhone && (
          <NativeSelect
            aria-label="Sort by"
            data={accountColumns.map(({ sort, label }) => ({ value: sort, label }))}
            value={listing.sort}
            onChange={({ currentTarget }) => change(sortedBy(currentTarget.value, listing.sort))}
          />
        )}
      </search>
      {data === undefined ? (
        error === null ? (
          <Spinner />
        ) : (
          <LoadFailed title="The users could not be loaded" message={error.message} onRetry={refetch} />
        )
      ) : (
        <div aria-busy={isFetching}>
          {data.users.length > 0 && (
            <List
              accounts={data.users}
              sort={listing.sort}
              order={listing.order}
              onSort={(sort, order) => change({ sort, order })}
            />
          )}
          {data.users.length === 0 && (
            <div className="card">
              <EmptyState icon={<Icon shape={IconUsers} />} title="No user matches">
                {isFiltered && (
                  <Button variant="default" mt="xs" onClick={() => change({ search: "", show: "everyone" })}>
                    Show everyone
                  </Button>
                )}
              </EmptyState>
            </div>
          )}
          <Pages
            page={listing.page}
            shown={data.users.length}
            total={data.total}
            onPage={(page) => setListing({ ...listing, page })}
          />
        </div>
      )}
    </Page>
  )
}

/** Names begin with A, numbers and times with the largest. */
function sortedBy(value: string, before: AccountSort): Pick<AccountListing, "sort" | "order"> {
  const { sort, firstOrder } = accountColumns.find((one) => one.sort === value) ?? { sort: before, firstOrder: "asc" }
  return { sort, order: firstOrder }
}

interface PagesProps {
  page: number
  shown: number
  total: number
  onPage: (page: number) => void
}

function Pages({ page, shown, total, onPage }: PagesProps) {
  const first = (page - 1) * limits.accountsPerPage
  const hasPages = total > limits.accountsPerPage || page > 1
  return (
    <Group justify="space-between" mt="md">
      <Text size="sm" c="dimmed" role="status">
        {hasPages && shown > 0
          ? `${formatNumber(first + 1)}–${formatNumber(first + shown)} of ${formatNumber(total)} users`
          : counted(total, "user")}
      </Text>
      {hasPages && (
        <Group gap="xs" component="nav" aria-label="Pages">
          <Button variant="default" disabled={page === 1} onClick={() => onPage(page - 1)}>
            Previous
          </Button>
          <Button variant="default" disabled={first + shown >= total} onClick={() => onPage(page + 1)}>
            Next
          </Button>
        </Group>
      )}
    </Group>
  )
}
