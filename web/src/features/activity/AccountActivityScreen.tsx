import { Breadcrumb } from "../../ui/Breadcrumb.tsx"
import { Page } from "../../ui/Page.tsx"
import { Activity } from "./Activity.tsx"

const kinds = ["logins", "accounts", "keys", "items", "environments", "collections"] as const

export function AccountActivityScreen() {
  return (
    <Page
      title="Your activity"
      lead="What you did, and what happened to your account: logins, also refused ones, and its API keys."
      breadcrumb={<Breadcrumb to="/user/dashboard">Profile</Breadcrumb>}
    >
      <Activity scope={{ of: "account" }} kinds={kinds} />
    </Page>
  )
}
