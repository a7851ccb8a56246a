import { type CliLogin, cliLogins, sentences } from "@envkeep/contract"
import { Button, Group, Stack, Text, TextInput } from "@mantine/core"
import { useEffect, useState } from "react"
import { Link, Navigate, useLocation } from "react-router"
import { useCallForm } from "../../lib/call-form.ts"
import { factorPage } from "../../lib/factor-page.ts"
import { dropCliCode, heldCliCode, holdCliCode } from "../../lib/held-cli-code.ts"
import { useUser } from "../../lib/state.ts"
import { type OnRefused, useWrite } from "../../lib/write.ts"
import { CenteredCard } from "../../ui/CenteredCard.tsx"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { useArrivalFocus } from "../../ui/use-arrival-focus.ts"
import { useOnce } from "../../ui/use-once.ts"
import { ExpiryChoice, ScopeChoice } from "./TokenTerms.tsx"
import "./profile.css"
import "./cli-confirm.css"

/**
 * Where `envkeep login` leads. Its code moves from the address into the state of this entry of the history, so that it is
 * not in what people copy from the address bar.
 */
export function CliConfirmScreen() {
  const { hash, state, key } = useLocation()
  const user = useUser()
  const isWaiting = user === null || user.needsSecondFactor === true
  const [arrivedWaiting] = useState(isWaiting)
  if (hash !== "") return <Navigate to="/cli/confirm" replace state={{ code: hash.slice(1) }} />
  return (
    <CenteredCard title="Log in to the command line" lead="Confirm a login of the envkeep command.">
      {isWaiting ? (
        <LogInFirst
          code={codeIn(state) ?? heldCliCode() ?? ""}
          isLoggedIn={user !== null}
          // After a logout on this page, the code is not for the person who logs in next.
          isHeld={arrivedWaiting}
        />
      ) : (
        <Confirmation key={key} opened={codeIn(state)} username={user.username} />
      )}
    </CenteredCard>
  )
}

function codeIn(state: unknown): string | undefined {
  return typeof state === "object" && state !== null && "code" in state ? String(state.code) : undefined
}

/** The code waits until the user is logged in, and has the second factor that the server may require. */
function LogInFirst({ code, isLoggedIn, isHeld }: { code: string; isLoggedIn: boolean; isHeld: boolean }) {
  useEffect(() => {
    if (isHeld) holdCliCode(code)
  }, [code, isHeld])
  if (isLoggedIn) return <Navigate to={factorPage} replace />
  return (
    <Stack gap="md">
      <Text>Log in here first. Then you can confirm the login of your terminal.</Text>
      <Button component={Link} to="/login" size="md" onClick={() => holdCliCode(code)}>
        Log in
      </Button>
    </Stack>
  )
}

function Confirmation({ opened, username }: { opened: string | undefined; username: string }) {
  const [code] = useState(opened ?? heldCliCode() ?? "")
  const [found, setFound] = useState<CliLogin>()
  const [decided, setDecided] = useState<"approved" | "denied">()
  useEffect(dropCliCode, [])
  if (decided !== undefined) return <Decided decision={decided} />
  if (found === undefined) return <CodeForm code={code} onFound={setFound} />
  return <Decision login={found} username={username} onDecided={setDecided} onBack={() => setFound(undefined)} />
}

function CodeForm({ code, onFound }: { code: string; onFound: (login: CliLogin) => void }) {
  const form = useCallForm(cliLogins.look, { userCode: code })
  const look = useWrite(cliLogins.look)
  const field = useArrivalFocus()

  async function submit() {
    const done = await form.send(look)
    if (done !== undefined) onFound(done.data)
  }
  return (
    <Form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label="Code"
          description="As your terminal shows it"
          placeholder="BCDF-GHJK"
          autoComplete="off"
          spellCheck={false}
          className="cli-code"
          ref={field}
          {...form.field("userCode")}
        />
        <SubmitButton size="md">Continue</SubmitButton>
      </Stack>
    </Form>
  )
}

interface DecisionProps {
  login: CliLogin
  username: string
  onDecided: (decision: "approved" | "denied") => void
  onBack: () => void
}

function Decision({ login: { userCode, machine, from }, username, onDecided, onBack }: DecisionProps) {
  const form = useCallForm(cliLogins.approve, { userCode, scope: "write", days: 90 })
  const [approve, deny] = [useWrite(cliLogins.approve), useWrite(cliLogins.deny)]
  const { scope, days } = form.values

  // Any other failure can pass, and the same decision can be tried again.
  const backIfUnknown: OnRefused = (sentence) => {
    if (sentence === sentences.cliCodeUnknown) onBack()
  }

  async function submit() {
    if ((await approve(form.current(), backIfUnknown)) !== undefined) onDecided("approved")
  }
  const [refuse, pending] = useOnce(async () => {
    if ((await deny({ userCode }, backIfUnknown)) !== undefined) onDecided("denied")
  })
  return (
    <Form onSubmit={submit}>
      <Stack gap="md">
        <div className="cli-warning" role="note">
          <Text fw={600}>Only approve if you started this on your machine</Text>
          <Text size="sm">
            Compare the code with the one in your terminal. Someone who sends you a code to approve gets into your
            account.
          </Text>
        </div>
        <dl className="cli-login">
          <dt>Code</dt>
          <dd className="cli-login__code">{userCode}</dd>
          <dt>Machine</dt>
          <dd>{machine}</dd>
          <dt>Network</dt>
          <dd>{from}</dd>
          <dt>Account</dt>
          <dd>{username}</dd>
        </dl>
        <ScopeChoice chosen={scope} onChange={form.field("scope").onChange} />
        <ExpiryChoice days={days} onChange={form.field("days").onChange} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" loading={pending} onClick={refuse}>
            Deny
          </Button>
          <SubmitButton>Approve</SubmitButton>
        </Group>
      </Stack>
    </Form>
  )
}

function Decided({ decision }: { decision: "approved" | "denied" }) {
  return (
    <Stack gap="md">
      <Text role="status">
        {decision === "approved"
          ? "Approved. Your terminal is logged in within a few seconds. You can close this page."
          : "Denied. That terminal gets no access."}
      </Text>
      <Button component={Link} to="/user/dashboard" variant="default">
        Show your tokens
      </Button>
    </Stack>
  )
}
