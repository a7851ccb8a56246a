import { Breadcrumb } from "../../ui/Breadcrumb.tsx"
import { Page } from "../../ui/Page.tsx"
import { Activity } from "./Activity.tsx"

const kinds = ["logins", "accounts", "server", "collections", "environments", "items", "keys"] as const

export function InstanceActivityScreen() {
  return (
    <Page
      title="Server activity"
      lead="What happened on this server. The names of collections, environments, items and keys are not shown."
      breadcrumb={<Breadcrumb to="/admin/dashboard">Admin Dashboard</Breadcrumb>}
    >
      <Activity scope={{ of: "instance" }} kinds={kinds} byPerson />
    </Page>
  )
}
