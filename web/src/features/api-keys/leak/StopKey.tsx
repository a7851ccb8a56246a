import type { KeyLeak } from "@envkeep/contract"
import { Button, Group } from "@mantine/core"
import { IconCircleCheck } from "@tabler/icons-react"
import { exactTime } from "../../../lib/relative-time.ts"
import { Icon } from "../../../ui/Icon.tsx"
import { Section } from "../../../ui/Section.tsx"
import { useOnce } from "../../../ui/use-once.ts"
import { useDisableApiKey, useRollApiKey } from "../queries.ts"

/** The first thing to do: as long as the key works, it reads new values too. */
export function StopKey({ leak: { apiKey, collectionId, endedAt } }: { leak: KeyLeak }) {
  const { id, replacedById, expiresAt } = apiKey
  const roll = useRollApiKey(collectionId)
  const disable = useDisableApiKey(collectionId)
  const [rollOnce, isRolling] = useOnce(() => roll({ id, overlapMinutes: 0 }))
  const [disableOnce, isDisabling] = useOnce(() => disable({ id, isDisabled: true }))
  if (endedAt !== null) {
    return (
      <Section title="1. Stop the key">
        <p className="section__text leak-done">
          <Icon shape={IconCircleCheck} />
          <span>{`It stopped working on ${exactTime(endedAt)}.`}</span>
        </p>
      </Section>
    )
  }
  return (
    <Section
      title="1. Stop the key"
      lead={expiresAt === null ? "It still works." : `It still works, until ${exactTime(expiresAt)} if you do nothing.`}
    >
      <div className="section__text">
        <p className="leak-text">
          Roll it to get a new key with the same name and settings. Or disable it if nothing needs it. Either way it
          stops at once, on every server within a second. Do not delete it before you are done: this page goes with it.
        </p>
        <Group gap="xs">
          {replacedById === null && (
            <Button loading={isRolling} onClick={rollOnce}>
              Roll now
            </Button>
          )}
          <Button variant="default" loading={isDisabling} onClick={disableOnce}>
            Disable now
          </Button>
        </Group>
      </div>
    </Section>
  )
}
