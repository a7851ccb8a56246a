import { type InvitationOffer, sentences, type User } from "@envkeep/contract"
import { Anchor, Button, Text } from "@mantine/core"
import { useEffect, useState } from "react"
import { Link, Navigate, useLocation, useNavigate } from "react-router"
import { factorPage } from "../../lib/factor-page.ts"
import { dropInvitation, heldInvitation, holdInvitation } from "../../lib/held-invitation.ts"
import { canRegister } from "../../lib/registration.ts"
import { exactTime } from "../../lib/relative-time.ts"
import { roleWords } from "../../lib/roles.ts"
import { useUser } from "../../lib/state.ts"
import { CenteredCard } from "../../ui/CenteredCard.tsx"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { useOnce } from "../../ui/use-once.ts"
import { isDeadLink, useAcceptInvitation, useInvitationOffer } from "./queries.ts"
import "./invitations.css"

/**
 * Where an invitation link leads. Its secret moves from the address into the state of this entry of the history: a reload
 * still finds it, and it is neither on the screen nor in what people copy from the address bar.
 */
export function InvitationScreen() {
  const { hash, state, key } = useLocation()
  if (hash !== "") return <Navigate to="/invitation" replace state={{ secret: hash.slice(1) }} />
  return (
    <CenteredCard title="Invitation" lead="To work together on environment variables.">
      <HeldInvitation key={key} visit={key} opened={secretIn(state)} />
    </CenteredCard>
  )
}

function secretIn(state: unknown): string | undefined {
  return typeof state === "object" && state !== null && "secret" in state ? String(state.secret) : undefined
}

/** The invitation that was opened here, or the one for which the user has logged in. */
function HeldInvitation({ visit, opened }: { visit: string; opened: string | undefined }) {
  const [secret] = useState(opened ?? heldInvitation())
  const needsFactor = useUser()?.needsSecondFactor === true
  useEffect(() => {
    if (secret !== undefined) holdInvitation(secret)
  }, [secret])
  if (secret === undefined) {
    return <Refused sentence="There is no invitation to accept" hint="Open the link that you were sent." />
  }
  return needsFactor ? <Navigate to={factorPage} replace /> : <Checked visit={visit} secret={secret} />
}

function Checked({ visit, secret }: { visit: string; secret: string }) {
  const { data, error, refetch } = useInvitationOffer(visit, secret)
  const [refusal, setRefusal] = useState<string>()
  const user = useUser()
  const refused = refusal ?? (error !== null && isDeadLink(error) ? error.message : undefined)
  useEffect(() => {
    if (refused !== undefined) dropInvitation()
  }, [refused])
  if (refused !== undefined) return <Refused sentence={refused} hint="Ask the person who sent it for a new link." />
  if (data === undefined) {
    if (error === null) return <Spinner />
    return <LoadFailed title="The invitation could not be checked" message={error.message} onRetry={refetch} />
  }
  return (
    <div className="offer">
      <Offer offer={data} />
      {user === null ? (
        <GuestActions offer={data} />
      ) : (
        <UserActions offer={data} user={user} secret={secret} onDeadLink={setRefusal} />
      )}
    </div>
  )
}

function Offer({ offer: { invitedBy, to, name, role, expiresAt } }: { offer: InvitationOffer }) {
  return (
    <>
      <p className="offer__what">
        <strong>{invitedBy}</strong>{" "}
        {to === "account" ? (
          "invites you to make an account on this server."
        ) : (
          <>
            invites you to the {to} <strong>{name}</strong>
            {role !== null && (
              <>
                {" as "}
                <strong>{role}</strong>
              </>
            )}
            .
          </>
        )}
      </p>
      <div className="offer__terms">
        {role !== null && <p>{`${roleWords[role].label}: ${roleWords[role].does}`}</p>}
        {to === "team" && <p>You get access to what is shared with the team.</p>}
        <p>{`The invitation expires ${exactTime(expiresAt)}.`}</p>
      </div>
    </>
  )
}

function GuestActions({ offer }: { offer: InvitationOffer }) {
  const isOpen = canRegister()
  // An account is all that is offered, and the server takes no new ones.
  if (!isOpen && offer.to === "account") return <p>{sentences.registrationClosed}</p>
  return (
    <div className="offer__actions">
      {isOpen && (
        <Button component={Link} to="/register" size="md">
          Register
        </Button>
      )}
      <Button component={Link} to="/login" size="md" variant={isOpen ? "default" : "filled"}>
        I have an account
      </Button>
    </div>
  )
}

interface UserActionsProps {
  offer: InvitationOffer
  user: User
  secret: string
  onDeadLink: (sentence: string) => void
}

function UserActions({ offer, user, secret, onDeadLink }: UserActionsProps) {
  const navigate = useNavigate()
  const acceptInvitation = useAcceptInvitation()
  const [accept, pending] = useOnce(async () => {
    const path = await acceptInvitation(secret, onDeadLink)
    if (path !== undefined) await navigate(path, { replace: true })
  })
  const isForAccount = offer.to === "account"
  return (
    <>
      <Text size="sm" c="dimmed" className="breaks-anywhere">
        {isForAccount ? "You already have one: you are" : "You are"} logged in as <strong>{user.username}</strong> (
        {user.email}).
      </Text>
      <div className="offer__actions">
        {!isForAccount && (
          <Button size="md" loading={pending} onClick={accept}>
            Accept
          </Button>
        )}
        <Button
          component={Link}
          to="/collection/dashboard"
          size="md"
          variant={isForAccount ? "filled" : "default"}
          onClick={dropInvitation}
        >
          {isForAccount ? "To your collections" : "Not now"}
        </Button>
      </div>
    </>
  )
}

/** It does not say what the invitation was for. */
function Refused({ sentence, hint }: { sentence: string; hint: string }) {
  return (
    <div className="offer">
      <div>
        <Text fw={600}>{sentence}</Text>
        <Text size="sm" c="dimmed" mt={4}>
          {hint}
        </Text>
      </div>
      <Anchor component={Link} to="/" size="sm">
        Home
      </Anchor>
    </div>
  )
}
