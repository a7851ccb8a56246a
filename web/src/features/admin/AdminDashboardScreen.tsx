import type { Counters } from "@envkeep/contract"
import { Box, Button, Group } from "@mantine/core"
import { Link } from "react-router"
import { sendsMail } from "../../lib/mail.ts"
import { signInProviders } from "../../lib/sign-in-providers.ts"
import { formatNumber } from "../../ui/counts.ts"
import { Sparkline } from "../../ui/LineChart.tsx"
import { Page } from "../../ui/Page.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { AdminLinks } from "./AdminLinks.tsx"
import { ClaimedTeamsSection } from "./ClaimedTeamsSection.tsx"
import { type Counter, changeIn, seriesOf } from "./counted.ts"
import { MailSection } from "./MailSection.tsx"
import { useCounters, useDailyCounts } from "./queries.ts"
import "./admin.css"

/** Every counter, with the last part of its path. */
const tiles: { counter: Counter; entity: string; label: string }[] = [
  { counter: "productsCount", entity: "products", label: "Products" },
  { counter: "usersCount", entity: "users", label: "Users" },
  { counter: "collectionsCount", entity: "collections", label: "Collections" },
  { counter: "environmentsCount", entity: "environments", label: "Environments" },
  { counter: "itemsCount", entity: "items", label: "Items" },
  { counter: "subscriptionsCount", entity: "subscriptions", label: "Subscriptions" },
]

export function AdminDashboardScreen() {
  const { data, isPending, isError, isFetching, refetch } = useCounters()
  if (isPending) return <Spinner />
  return (
    <Page
      title="Admin Dashboard"
      lead={isError ? "The counters could not be loaded." : `Counted ${timeOf(data.lastLoaded)}`}
      actions={
        <Group gap="xs">
          <AdminLinks />
          <Button variant="default" loading={isFetching} onClick={() => refetch()}>
            {isError ? "Try again" : "Count again"}
          </Button>
        </Group>
      }
    >
      <ul className="tiles">
        {tiles.map(({ counter, entity, label }) => (
          <li key={entity}>
            <Link to={`/admin/${entity}`} className={isError ? "tile tile--error" : "tile"}>
              <span className="tile__label">{label}</span>
              <span className="tile__count">{isError ? "Error" : formatNumber(data[counter])}</span>
              {!isError && <Trend counter={counter} now={data} />}
            </Link>
          </li>
        ))}
      </ul>
      {signInProviders().length > 0 && (
        <Box mt={32}>
          <ClaimedTeamsSection />
        </Box>
      )}
      {sendsMail() && (
        <Box mt={32}>
          <MailSection />
        </Box>
      )}
    </Page>
  )
}

const trendDays = 30

/** Absent until there is a count of an earlier day. */
function Trend({ counter, now }: { counter: Counter; now: Counters }) {
  const { data: daily = [] } = useDailyCounts(trendDays)
  const points = seriesOf(counter, trendDays, { daily, now })
  const change = changeIn(points)
  if (change === undefined) return null
  return (
    <span className="tile__trend">
      <Sparkline points={points} />
      <span className="tile__change">{change} in 30 days</span>
    </span>
  )
}

function timeOf(iso: string): string {
  return new Date(iso).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" })
}
