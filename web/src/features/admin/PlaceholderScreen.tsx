import { Page } from "../../ui/Page.tsx"
import { Trail } from "../../ui/Trail.tsx"

/** The counters of the admin area lead here; there is nothing more to these pages yet. */
export function PlaceholderScreen({ title }: { title: string }) {
  return <Page title={title} trail={<Trail to="/admin/dashboard">Admin Dashboard</Trail>} />
}
