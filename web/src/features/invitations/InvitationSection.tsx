import { type Invitation, type Level, mailCalls } from "@envkeep/contract"
import { Button, NativeSelect, Text, TextInput } from "@mantine/core"
import { IconCopy } from "@tabler/icons-react"
import { type Ref, useState } from "react"
import { useCallForm } from "../../lib/call-form.ts"
import { copy } from "../../lib/clipboard.ts"
import { sendsMail } from "../../lib/mail.ts"
import { exactTime } from "../../lib/relative-time.ts"
import { rolesGivenBy, roleWords } from "../../lib/roles.ts"
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx"
import { counted } from "../../ui/counts.ts"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { LongList } from "../../ui/LongList.tsx"
import { Section } from "../../ui/Section.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { useFocusWhen } from "../../ui/use-focus-when.ts"
import { useRefocus } from "../../ui/use-refocus.ts"
import { type InvitationScope, type MadeInvitation, useInvitations, useInvite, useRevoke } from "./queries.ts"
import "./invitations.css"

const useChoices = [1, 5, 10, 25, 100].map((uses) => ({
  value: String(uses),
  label: counted(uses, "person", "people"),
}))

const dayChoices = [1, 7, 30, 90].map((days) => ({ value: String(days), label: counted(days, "day") }))

interface InvitationSectionProps {
  scope: InvitationScope
  /** What the user is in the collection. Only invitations to collections give a role. */
  role?: Level
  /** Whether links can be made. Those that were made are listed in any case. */
  canInvite?: boolean
}

const forMembers = "Send a link to people who have no account yet, or whose name you do not know."
const whoNeedsIt = {
  collection: forMembers,
  team: forMembers,
  server: "Send a link to people who should have an account.",
}

/** Makes links that let others in, and lists those that were made. */
export function InvitationSection({ scope, role, canInvite = true }: InvitationSectionProps) {
  const [made, setMade] = useState<MadeInvitation>()
  const createButton = useRefocus(made !== undefined)
  return (
    <Section
      title="Invitation links"
      lead={`${whoNeedsIt[scope.of]} Anyone who has it can use it until it is used up, expires or is revoked.`}
    >
      {made === undefined && canInvite && (
        <InviteForm scope={scope} role={role} button={createButton} onMade={setMade} />
      )}
      {made !== undefined && <MadeLink key={made.id} made={made} onDone={() => setMade(undefined)} />}
      <InvitationList scope={scope} />
    </Section>
  )
}

interface InviteFormProps {
  scope: InvitationScope
  role: Level | undefined
  button: Ref<HTMLButtonElement>
  onMade: (invitation: MadeInvitation) => void
}

function InviteForm({ scope, role, button, onMade }: InviteFormProps) {
  const id = scope.of === "server" ? 1 : scope.id
  const form = useCallForm(mailCalls.invitations.inviteToCollection, {
    id,
    role: "reader",
    maxUses: 1,
    days: 7,
  })
  const invite = useInvite(scope)

  async function submit() {
    const done = await form.send(({ id: _, ...terms }, onRefused) => invite(terms, onRefused))
    if (done !== undefined) onMade(done.data)
  }
  const number = (name: "maxUses" | "days") => ({
    value: String(form.values[name]),
    onChange: (event: { currentTarget: { value: string } }) =>
      form.field(name).onChange(Number(event.currentTarget.value)),
  })
  return (
    <Form label="Create an invitation link" className="section__form invite-form" onSubmit={submit}>
      {role !== undefined && <NativeSelect label="Role" data={rolesGivenBy(role)} {...form.field("role")} />}
      <NativeSelect label="For" data={useChoices} {...number("maxUses")} />
      <NativeSelect label="Valid for" data={dayChoices} {...number("days")} />
      {sendsMail() && (
        <TextInput
          label="Send to (optional)"
          type="email"
          placeholder="Email"
          autoComplete="off"
          error={form.field("email").error}
          value={form.values.email ?? ""}
          // A blank field is none.
          onChange={({ currentTarget: { value } }) => form.field("email").onChange(value === "" ? undefined : value)}
        />
      )}
      <SubmitButton ref={button} className="beside-field">
        Create link
      </SubmitButton>
    </Form>
  )
}

/** The secret is behind the `#`, which browsers do not send: no log on the way sees it. */
function MadeLink({ made: { secret, sentTo = null }, onDone }: { made: MadeInvitation; onDone: () => void }) {
  const link = `${location.origin}/invitation#${secret}`
  const [isNew, setNew] = useState(true)
  const copyButton = useFocusWhen<HTMLButtonElement>(isNew, () => setNew(false))
  return (
    <div className="section__form made-link">
      <TextInput
        label="Invitation link"
        description={
          sentTo === null
            ? "Copy it now. It is not shown again."
            : `We send it to ${sentTo}. You can copy it too: it is not shown again.`
        }
        readOnly
        value={link}
        onFocus={(event) => event.currentTarget.select()}
      />
      <div className="made-link__actions">
        <Button ref={copyButton} leftSection={<Icon shape={IconCopy} />} onClick={() => copy(link)}>
          Copy link
        </Button>
        <Button variant="default" onClick={onDone}>
          Done
        </Button>
      </div>
    </div>
  )
}

function InvitationList({ scope }: { scope: InvitationScope }) {
  const { data, error, refetch } = useInvitations(scope)
  const revoke = useRevoke(scope)
  const [revoking, setRevoking] = useState<Invitation>()
  if (data === undefined) {
    if (error === null) return <Spinner />
    return <LoadFailed title="The invitations could not be loaded" message={error.message} onRetry={refetch} />
  }
  if (data.length === 0) return <p className="section__text">No invitation links yet.</p>

  async function confirm() {
    if (revoking !== undefined) await revoke(revoking.id)
    setRevoking(undefined)
  }
  return (
    <div className="row-list">
      <LongList
        label="Invitation links"
        rows={data}
        keyOf={({ id }) => id}
        render={(invitation) => (
          <InvitationRow invitation={invitation} scope={scope} onRevoke={() => setRevoking(invitation)} />
        )}
      />
      <ConfirmDialog
        opened={revoking !== undefined}
        title="Revoke this invitation?"
        confirm="Revoke"
        onConfirm={confirm}
        onClose={() => setRevoking(undefined)}
      >
        The link stops working at once. Those who have used it stay.
      </ConfirmDialog>
    </div>
  )
}

const stateLabels: Record<Invitation["state"], string> = {
  open: "Open",
  paused: "Paused",
  used: "Used",
  revoked: "Revoked",
  expired: "Expired",
}

/** What a link without a role gives. */
const whatFor = { collection: "Member", team: "Member", server: "Account" }

interface InvitationRowProps {
  invitation: Invitation
  scope: InvitationScope
  onRevoke: () => void
}

function InvitationRow({ invitation, scope, onRevoke }: InvitationRowProps) {
  const { role, invitedBy, createdAt, expiresAt, uses, maxUses, state } = invitation
  const isOpen = state === "open"
  // Its inviter may get the right to invite back.
  const canOpen = isOpen || state === "paused"
  return (
    <div className={isOpen ? "row-list__row" : "row-list__row invitation--closed"}>
      <div>
        <span className="person__name">
          <Text component="span" fw={600} size="sm">
            {role === null ? whatFor[scope.of] : roleWords[role].label}
          </Text>
          <span className={isOpen ? "chip chip--open" : "chip"}>{stateLabels[state]}</span>
          <Text component="span" size="sm" c="dimmed">
            {`${uses} of ${maxUses} used`}
          </Text>
        </span>
        <Text size="sm" c="dimmed" className="breaks-anywhere">
          {`Made by ${invitedBy}, ${exactTime(createdAt)}`}
          {canOpen && ` · expires ${exactTime(expiresAt)}`}
        </Text>
      </div>
      {canOpen && (
        <div className="row-list__end">
          <Button variant="default" size="xs" className="danger-button" onClick={onRevoke}>
            Revoke
          </Button>
        </div>
      )}
    </div>
  )
}
