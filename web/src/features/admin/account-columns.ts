import type { AccountSort, AccountSummary } from "@envkeep/contract"

interface AccountColumn {
  sort: AccountSort
  label: string
  /** In which order a sort begins. */
  firstOrder: "asc" | "desc"
  isNumber?: boolean
}

/** What the list of users can be sorted by. */
export const accountColumns: readonly AccountColumn[] = [
  { sort: "username", label: "Username", firstOrder: "asc" },
  { sort: "email", label: "Email", firstOrder: "asc" },
  { sort: "lastSignIn", label: "Last sign-in", firstOrder: "desc" },
  { sort: "collections", label: "Collections", firstOrder: "desc", isNumber: true },
  { sort: "items", label: "Items", firstOrder: "desc", isNumber: true },
  { sort: "bytes", label: "Stored", firstOrder: "desc", isNumber: true },
]

export interface AccountListProps {
  accounts: readonly AccountSummary[]
  sort: AccountSort
  order: "asc" | "desc"
  onSort: (sort: AccountSort, order: "asc" | "desc") => void
}
