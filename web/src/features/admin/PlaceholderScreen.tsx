import { Page } from "../../ui/Page.tsx"

/** The target of a counter on the admin dashboard. These pages have no content yet. */
export function PlaceholderScreen({ title }: { title: string }) {
  return <Page title={title} />
}
