import type { Token } from "@envkeep/contract"
import { Button, Text, Title } from "@mantine/core"
import { IconPlus } from "@tabler/icons-react"
import { useState } from "react"
import { exactDay, relativeTime } from "../../lib/relative-time.ts"
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { NewTokenDialog } from "./NewTokenDialog.tsx"
import { useRevokeToken, useTokens } from "./queries.ts"
import { scopeWords } from "./scope-words.ts"

export function TokensSection() {
  const { data, error, refetch } = useTokens()
  const [creating, setCreating] = useState(false)
  const [asked, setAsked] = useState<Token>()
  const [asking, setAsking] = useState(false)
  const revoke = useRevokeToken()

  async function confirm() {
    if (asked === undefined) return
    await revoke({ id: asked.id })
    setAsking(false)
  }
  return (
    <section className="card profile-section">
      <div>
        <Title order={2} tabIndex={-1}>
          Personal tokens
        </Title>
        <Text size="sm" c="dimmed" mt={4}>
          For scripts that call the API in your name. To read one environment, use an API key of that environment
          instead.
        </Text>
      </div>
      <div>
        {data === undefined && error === null && <Spinner />}
        {data === undefined && error !== null && (
          <LoadFailed title="The tokens could not be loaded" message={error.message} onRetry={refetch} />
        )}
        {data?.length === 0 && (
          <Text size="sm" c="dimmed">
            No tokens
          </Text>
        )}
        {data !== undefined && data.length > 0 && (
          <ul className="profile-list lined" aria-label="Personal tokens">
            {data.map((token) => (
              <TokenRow
                key={token.id}
                token={token}
                onRevoke={() => {
                  setAsked(token)
                  setAsking(true)
                }}
              />
            ))}
          </ul>
        )}
        <Button variant="default" mt="md" leftSection={<Icon shape={IconPlus} />} onClick={() => setCreating(true)}>
          New token
        </Button>
        <NewTokenDialog opened={creating} onClose={() => setCreating(false)} />
        <ConfirmDialog
          opened={asking}
          title="Revoke this token?"
          confirm="Revoke"
          onConfirm={confirm}
          onClose={() => setAsking(false)}
        >
          <strong>{asked?.name}</strong> stops working at once, wherever it is used. This cannot be undone.
        </ConfirmDialog>
      </div>
    </section>
  )
}

function TokenRow({ token, onRevoke }: { token: Token; onRevoke: () => void }) {
  const { name, scope, collections, lastUse } = token
  return (
    <li className="profile-list__row" aria-label={name}>
      <div className="profile-list__text">
        <span className="profile-list__name breaks-anywhere">
          {name}
          <span className="chip">{scopeWords[scope].label}</span>
          {token.isExpired && <span className="chip chip--unsaved">Expired</span>}
        </span>
        <Text size="sm" c="dimmed" className="breaks-anywhere">
          {collections === null ? "All your collections" : namesOf(collections)} · {expiryOf(token)}
        </Text>
        <Text size="sm" c="dimmed" className="breaks-anywhere">
          {lastUse === null ? "Never used" : lastUsed(lastUse)}
        </Text>
      </div>
      <Button
        variant="default"
        size="xs"
        className="danger-button"
        aria-label={`Revoke the token ${name}`}
        onClick={onRevoke}
      >
        Revoke
      </Button>
    </li>
  )
}

const shownNames = 3

function namesOf(collections: { name: string }[]): string {
  if (collections.length === 0) return "No collections left"
  const shown = collections.slice(0, shownNames).map(({ name }) => name)
  const more = collections.length - shown.length
  return more === 0 ? shown.join(", ") : `${shown.join(", ")} and ${more} more`
}

function expiryOf({ expiresAt, isExpired }: Token): string {
  if (expiresAt === null) return "Does not expire"
  return `${isExpired ? "Expired" : "Expires"} ${exactDay(expiresAt)}`
}

function lastUsed({ at, by, from }: NonNullable<Token["lastUse"]>): string {
  const program = by === "" ? "" : ` by ${by.replace("/", " ")}`
  return `Last used ${relativeTime(at)}${program} from ${from}`
}
