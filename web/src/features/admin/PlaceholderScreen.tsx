import { Page } from "../../ui/Page.tsx"

/** The counters of the admin area lead here; there is nothing more to these pages yet. */
export function PlaceholderScreen({ title }: { title: string }) {
  return <Page title={title} />
}
