import { clientName, type Session } from "@envkeep/contract"
import { Button, Text, Title } from "@mantine/core"
import { useRef, useState } from "react"
import { hourMs } from "../../lib/durations.ts"
import { useNow } from "../../lib/now.ts"
import { exactTime, relativeTime } from "../../lib/relative-time.ts"
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { useOnce } from "../../ui/use-once.ts"
import { useEndOtherSessions, useEndSession, useSessions } from "./queries.ts"

export function SessionsSection() {
  const { data, error, refetch } = useSessions()
  const heading = useRef<HTMLHeadingElement>(null)
  const others = data?.filter(({ isCurrent }) => !isCurrent).length ?? 0
  return (
    <section className="card profile-section">
      <div>
        <Title order={2} ref={heading} tabIndex={-1}>
          Sessions
        </Title>
        <Text size="sm" c="dimmed" mt={4}>
          Where you are logged in. End a session that you do not recognise, and change your password.
        </Text>
      </div>
      <div>
        {data === undefined && error === null && <Spinner />}
        {data === undefined && error !== null && (
          <LoadFailed title="The sessions could not be loaded" message={error.message} onRetry={refetch} />
        )}
        {data !== undefined && (
          <ul className="profile-list lined" aria-label="Sessions">
            {data.map((session) => (
              <SessionRow key={session.id} session={session} onEnded={() => heading.current?.focus()} />
            ))}
          </ul>
        )}
        {others > 1 && <EndOthers count={others} />}
      </div>
    </section>
  )
}

function SessionRow({ session, onEnded }: { session: Session; onEnded: () => void }) {
  const end = useEndSession()
  const [run, pending] = useOnce(async () => {
    if ((await end({ id: session.id })) !== undefined) onEnded()
  })
  const device = clientName(session.client) || "Unknown browser"
  return (
    <li className="profile-list__row">
      <div className="profile-list__text">
        <span className="profile-list__name breaks-anywhere">
          {device}
          {session.isCurrent && <span className="chip chip--accent">This session</span>}
        </span>
        <Text size="sm" c="dimmed" className="breaks-anywhere">
          {session.address !== "" && `${session.address} · `}
          {session.isCurrent ? "Active now" : <LastSeen session={session} />}
        </Text>
        <Text size="sm" c="dimmed">
          Logged in <time dateTime={session.createdAt}>{exactTime(session.createdAt)}</time>
        </Text>
      </div>
      {!session.isCurrent && (
        <Button
          variant="default"
          size="xs"
          className="danger-button"
          loading={pending}
          aria-label={`End the session of ${device}, logged in ${exactTime(session.createdAt)}`}
          onClick={run}
        >
          End
        </Button>
      )}
    </li>
  )
}

/** The server writes down once an hour that a session is in use, so this is not more accurate than that. */
function LastSeen({ session: { seenAt } }: { session: Session }) {
  const now = useNow()
  const isRecent = now - Date.parse(seenAt) < hourMs
  const ago = relativeTime(seenAt, now)
  return <time dateTime={seenAt}>{isRecent ? "Last seen within the last hour" : `Last seen ${ago}`}</time>
}

function EndOthers({ count }: { count: number }) {
  const [asking, setAsking] = useState(false)
  const endOthers = useEndOtherSessions()

  async function confirm() {
    await endOthers({})
    setAsking(false)
  }
  return (
    <>
      <Button variant="default" mt="md" onClick={() => setAsking(true)}>
        End all other sessions
      </Button>
      <ConfirmDialog
        opened={asking}
        title="End all other sessions?"
        confirm="End sessions"
        onConfirm={confirm}
        onClose={() => setAsking(false)}
      >
        {count} sessions end, and you stay logged in here. Your tokens and API keys keep working.
      </ConfirmDialog>
    </>
  )
}
