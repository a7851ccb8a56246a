import type { ApiKey, KeyLeak } from "@envkeep/contract"
import { Button, Group } from "@mantine/core"
import { IconCircleCheck } from "@tabler/icons-react"
import { useState } from "react"
import { exactTime } from "../../lib/relative-time.ts"
import { Icon } from "../../ui/Icon.tsx"
import { Section } from "../../ui/Section.tsx"
import { useOnce } from "../../ui/use-once.ts"
import { useDisableApiKey, useReadLeakAgain } from "./queries.ts"
import { RollDialog } from "./RollDialog.tsx"

/** The first thing to do: as long as the key works, it reads new values too. */
export function StopKey({ leak }: { leak: KeyLeak }) {
  const [isRolling, setRolling] = useState(false)
  const [rolled, setRolled] = useState<ApiKey>()
  const readLeakAgain = useReadLeakAgain()

  function ask() {
    // A program may have read with it since the page was loaded.
    readLeakAgain()
    setRolled(undefined)
    setRolling(true)
  }
  return (
    <>
      {leak.endedAt === null ? (
        <Working leak={leak} onRoll={ask} />
      ) : (
        <Section title="1. Stop the key">
          <p className="section__text leak-done">
            <Icon shape={IconCircleCheck} />
            <span>{`It stopped working on ${exactTime(leak.endedAt)}.`}</span>
          </p>
        </Section>
      )}
      {/* Beside both: it shows the new key after the old one has stopped. */}
      <RollDialog
        leak={leak}
        opened={isRolling}
        rolled={rolled}
        onRolled={setRolled}
        onClose={() => setRolling(false)}
      />
    </>
  )
}

function Working({ leak: { apiKey, collectionId }, onRoll }: { leak: KeyLeak; onRoll: () => void }) {
  const { id, replacedById, expiresAt } = apiKey
  const disable = useDisableApiKey(collectionId)
  const [disableOnce, isDisabling] = useOnce(() => disable({ id, isDisabled: true }))
  return (
    <Section
      title="1. Stop the key"
      lead={expiresAt === null ? "It still works." : `It still works, until ${exactTime(expiresAt)} if you do nothing.`}
    >
      <div className="section__text">
        <p className="leak-text">
          Roll it to get a new key with the same name and settings. Or disable it if nothing needs it: then it stops at
          once, on every server within a second. Do not delete it before you are done: this page goes with it.
        </p>
        <Group gap="xs">
          {replacedById === null && <Button onClick={onRoll}>Roll…</Button>}
          <Button variant="default" loading={isDisabling} onClick={disableOnce}>
            Disable now
          </Button>
        </Group>
      </div>
    </Section>
  )
}
