import type { SizedKind } from "@envkeep/contract"
import { Breadcrumb } from "../../ui/Breadcrumb.tsx"
import { Page } from "../../ui/Page.tsx"
import { CountSection } from "./CountSection.tsx"
import type { Counter } from "./counted.ts"
import { SizesSection } from "./SizesSection.tsx"
import "./admin.css"

interface CountedScreenProps {
  title: string
  kind: SizedKind
  counter: Counter
}

export const CollectionsScreen = () => (
  <CountedScreen title="Collections" kind="collections" counter="collectionsCount" />
)
export const EnvironmentsScreen = () => (
  <CountedScreen title="Environments" kind="environments" counter="environmentsCount" />
)
export const ItemsScreen = () => <CountedScreen title="Items" kind="items" counter="itemsCount" />
export const SubscriptionsScreen = () => (
  <CountedScreen title="Subscriptions" kind="subscriptions" counter="subscriptionsCount" />
)

/** How many there are, how many there were, and how large they are. Administrators see no names of what others own. */
function CountedScreen({ title, kind, counter }: CountedScreenProps) {
  return (
    <Page
      title={title}
      lead={
        kind === "subscriptions" ? undefined : "Counts and sizes of what all users own. Names and values are not shown."
      }
      breadcrumb={<Breadcrumb to="/admin/dashboard">Admin Dashboard</Breadcrumb>}
    >
      <CountSection title={title} counter={counter} />
      <SizesSection kind={kind} />
    </Page>
  )
}
