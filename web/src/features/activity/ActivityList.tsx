import { type ActivityEvent, type ActivityKind, clientName } from "@envkeep/contract"
import { Text, Title } from "@mantine/core"
import {
  IconFolder,
  IconKey,
  IconLogin2,
  IconPencil,
  IconServer,
  type Icon as IconShape,
  IconStack2,
  IconUser,
  IconUsers,
  IconWebhook,
} from "@tabler/icons-react"
import { useNow } from "../../lib/now.ts"
import { exactTime } from "../../lib/relative-time.ts"
import { formatNumber } from "../../ui/counts.ts"
import { Icon } from "../../ui/Icon.tsx"
import { actorOf, dayOf, deedOf, kindOf, timeOf } from "./words.ts"

const shapes: Record<ActivityKind, IconShape> = {
  items: IconPencil,
  environments: IconStack2,
  collections: IconFolder,
  people: IconUsers,
  keys: IconKey,
  webhooks: IconWebhook,
  logins: IconLogin2,
  accounts: IconUser,
  server: IconServer,
}

/** Events by day, newest first. */
export function ActivityList({ events, showCollection }: { events: ActivityEvent[]; showCollection: boolean }) {
  const now = new Date(useNow())
  const days = Map.groupBy(events, ({ at }) => dayOf(at, now))
  return [...days].map(([day, ofDay]) => (
    <section key={day} className="activity-day" aria-label={day}>
      <Title order={2} mb={10} fz="0.9375rem">
        {day}
      </Title>
      <ul className="card activity-list lined">
        {ofDay.map((event) => (
          <ActivityRow key={event.id} event={event} showCollection={showCollection} />
        ))}
      </ul>
    </section>
  ))
}

function ActivityRow({ event, showCollection }: { event: ActivityEvent; showCollection: boolean }) {
  const { at, action, address, client, environment, collection, position } = event
  const isWarning = ["session.refuse", "api-key.new-address", "api-key.refuse"].includes(action)
  const place = [environment?.name, ...(showCollection ? [collection?.name] : [])].filter(Boolean).join(" in ")
  const origin = [clientName(client), address].filter((part) => part !== "").join(" · ")
  return (
    <li className="activity-row">
      <span className={isWarning ? "activity-row__icon activity-row__icon--warning" : "activity-row__icon"}>
        <Icon shape={shapes[kindOf(event)]} />
      </span>
      <div className="activity-row__text">
        <Text size="sm" className="breaks-anywhere">
          <strong>{actorOf(event)}</strong> {deedOf(event)}
          {place !== "" && (
            <>
              {" "}
              <span className="chip">{place}</span>
            </>
          )}
        </Text>
        {origin !== "" && (
          <Text size="xs" c="dimmed" className="breaks-anywhere" title={client}>
            {origin}
          </Text>
        )}
      </div>
      <div className="activity-row__when">
        <time dateTime={at} title={exactTime(at)}>
          {timeOf(at)}
        </time>
        <span title="Its place in the audit trail">{position === null ? "new" : `#${formatNumber(position)}`}</span>
      </div>
    </li>
  )
}
