import type { Identity, SignInProvider } from "@envkeep/contract"
import { Button, Group, Text, Title } from "@mantine/core"
import { useRef, useState } from "react"
import { exactTime, relativeTime } from "../../lib/relative-time.ts"
import { signInProviders } from "../../lib/sign-in-providers.ts"
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { useOnce } from "../../ui/use-once.ts"
import { useConnectIdentity, useDisconnectIdentity, useIdentities } from "./queries.ts"
import { useReturnFromProvider } from "./use-return-from-provider.ts"

/** Not there on a server without providers, unless it had one that the account is still connected with. */
export function ConnectedAccountsSection() {
  const { data, error, refetch } = useIdentities()
  const providers = signInProviders()
  const heading = useRef<HTMLHeadingElement>(null)
  useReturnFromProvider()
  if (providers.length === 0 && (data === undefined || data.identities.length === 0)) return null
  const others = providers.filter(({ name }) => data?.identities.every(({ provider }) => provider !== name))
  return (
    <section className="card profile-section">
      <div>
        <Title order={2} ref={heading} tabIndex={-1}>
          Connected accounts
        </Title>
        <Text size="sm" c="dimmed" mt={4}>
          Accounts elsewhere that you can log in with.
        </Text>
      </div>
      <div>
        {data === undefined && error === null && <Spinner />}
        {data === undefined && error !== null && (
          <LoadFailed title="The accounts could not be loaded" message={error.message} onRetry={refetch} />
        )}
        {data?.identities.length === 0 && (
          <Text size="sm" c="dimmed">
            No connected accounts
          </Text>
        )}
        {data !== undefined && data.identities.length > 0 && (
          <ul className="profile-list lined" aria-label="Connected accounts">
            {data.identities.map((identity) => (
              <IdentityRow key={identity.id} identity={identity} onDisconnected={() => heading.current?.focus()} />
            ))}
          </ul>
        )}
        {others.length > 0 && (
          <Group gap="xs" mt="md">
            {others.map((provider) => (
              <ConnectButton key={provider.name} provider={provider} />
            ))}
          </Group>
        )}
      </div>
    </section>
  )
}

function ConnectButton({ provider: { name, label } }: { provider: SignInProvider }) {
  const connect = useConnectIdentity()
  const [run, pending] = useOnce(() => connect(name))
  return (
    <Button variant="default" loading={pending} onClick={run}>
      Connect {label}
    </Button>
  )
}

function IdentityRow({ identity, onDisconnected }: { identity: Identity; onDisconnected: () => void }) {
  const { id, label, email, createdAt, lastUsedAt } = identity
  const [asking, setAsking] = useState(false)
  const disconnect = useDisconnectIdentity()

  async function confirm() {
    const done = await disconnect({ id })
    setAsking(false)
    if (done !== undefined) onDisconnected()
  }
  return (
    <li className="profile-list__row">
      <div className="profile-list__text">
        <span className="profile-list__name breaks-anywhere">{label}</span>
        {email !== "" && (
          <Text size="sm" c="dimmed" className="breaks-anywhere">
            {email}
          </Text>
        )}
        <Text size="sm" c="dimmed">
          Connected <time dateTime={createdAt}>{exactTime(createdAt)}</time>
          {lastUsedAt !== null && (
            <>
              , last used <time dateTime={lastUsedAt}>{relativeTime(lastUsedAt)}</time>
            </>
          )}
        </Text>
      </div>
      <Button
        variant="default"
        size="xs"
        className="danger-button"
        aria-label={`Disconnect ${label} ${email}`.trim()}
        onClick={() => setAsking(true)}
      >
        Disconnect
      </Button>
      <ConfirmDialog
        opened={asking}
        title={`Disconnect ${label}?`}
        confirm="Disconnect"
        onConfirm={confirm}
        onClose={() => setAsking(false)}
      >
        You can no longer log in with it. Your account here stays as it is.
      </ConfirmDialog>
    </li>
  )
}
