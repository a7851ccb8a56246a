import type { ApiKey, ApiKeyUse } from "@envkeep/contract"
import { Loader, Tabs, Text, Title } from "@mantine/core"
import { IconCircleCheck } from "@tabler/icons-react"
import { type MouseEvent, useEffect, useId, useRef } from "react"
import { copy } from "../../lib/clipboard.ts"
import { exactTime } from "../../lib/relative-time.ts"
import { CodeSample } from "../../ui/CodeSample.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { keySamples } from "./key-samples.ts"
import { useLastUse } from "./queries.ts"

interface KeyUsageProps {
  apiKey: ApiKey
  collectionId: number
}

/** How to read the environment with this key, and whether it was read. */
export function KeyUsage({ apiKey, collectionId }: KeyUsageProps) {
  const title = useId()
  const panel = useRef<HTMLElement>(null)
  // It may be below a long list of keys.
  useEffect(() => {
    panel.current?.scrollIntoView({ block: "nearest" })
  }, [])
  const samples = keySamples({ origin: location.origin, key: apiKey.key ?? "ek_..." })
  return (
    <section className="key-usage" aria-labelledby={title} ref={panel}>
      <div className="key-usage__head">
        <Title order={3} id={title} className="breaks-anywhere" fz="1rem">
          {`Use ${apiKey.name}`}
        </Title>
        <LastUse apiKey={apiKey} collectionId={collectionId} />
      </div>
      {apiKey.key === null && (
        <Text size="sm" mb="sm">
          This key can no longer be shown. Replace ek_... with the copy that you kept.
        </Text>
      )}
      <Tabs defaultValue={samples[0]?.name ?? null} keepMounted={false}>
        <Tabs.List aria-label="Ways to read the variables" className="key-usage__tabs">
          {samples.map(({ name }) => (
            <Tabs.Tab key={name} value={name} onClick={showWhole}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {samples.map(({ name, text, steps }) => (
          <Tabs.Panel key={name} value={name}>
            <Text size="sm" c="dimmed" mt="sm">
              {text}
            </Text>
            {steps.map((step) => (
              <div key={step.title} className="key-usage__step">
                {steps.length > 1 && (
                  <Text size="sm" fw={600} mb={6}>
                    {step.title}
                  </Text>
                )}
                <CodeSample {...step} onCopy={copy} />
              </div>
            ))}
          </Tabs.Panel>
        ))}
      </Tabs>
      <Text size="xs" c="dimmed" mt="sm">
        The line with the key starts with a space: shells that leave such lines out of their history keep the key out of
        it.
        {isThisMachine(location.hostname) &&
          ` ${location.hostname} works on this machine only; elsewhere, use an address that can be reached from there.`}
      </Text>
    </section>
  )
}

/** On a phone the tabs scroll sideways, and the chosen one may be cut off. */
function showWhole({ currentTarget }: MouseEvent<HTMLElement>): void {
  currentTarget.scrollIntoView({ block: "nearest", inline: "nearest" })
}

function LastUse({ apiKey, collectionId }: KeyUsageProps) {
  const { data: use, isError } = useLastUse(apiKey, collectionId)
  return (
    <div className="key-usage__status" role="status">
      {isError && "Could not find out whether it was read"}
      {!isError && use === undefined && <Loader size={14} aria-label="Loading" />}
      {!isError && use === null && (
        <>
          <Loader size={14} type="dots" aria-hidden="true" />
          Waiting for the first read…
        </>
      )}
      {!isError && use && (
        <>
          <span className="key-usage__done">
            <Icon shape={IconCircleCheck} />
          </span>
          {describe(use)}
        </>
      )}
    </div>
  )
}

/** The server notes the time of a use once a minute. */
const justNowSeconds = 90

function describe({ at, by, secondsAgo }: ApiKeyUse): string {
  const program = by === null ? "" : ` by ${by.replace("/", " ")}`
  return secondsAgo < justNowSeconds ? `Read${program} just now` : `Last read${program} on ${exactTime(at)}`
}

function isThisMachine(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.")
}
