import type { MailState } from "@envkeep/contract"
import { Text } from "@mantine/core"
import { exactTime } from "../../lib/relative-time.ts"
import { formatNumber } from "../../ui/counts.ts"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { Section } from "../../ui/Section.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { mailFaultInWords } from "./mail-words.ts"
import { useMailState } from "./queries.ts"

/** Whether mails arrive at the mail server. */
export function MailSection() {
  const { data, error, refetch } = useMailState()
  return (
    <Section title="Mail">
      {data !== undefined && <MailText state={data} />}
      {data === undefined && error === null && <Spinner />}
      {data === undefined && error !== null && (
        <LoadFailed title="The state of the mails could not be loaded" message={error.message} onRetry={refetch} />
      )}
    </Section>
  )
}

function MailText({ state: { waiting, givenUp, lastFault } }: { state: MailState }) {
  return (
    <div className="section__text">
      <Text size="sm">
        {waiting === 0 ? "No mail waits to be sent." : `Waiting to be sent: ${formatNumber(waiting)}.`}
        {givenUp > 0 && ` Given up in the last 30 days: ${formatNumber(givenUp)}.`}
      </Text>
      {lastFault !== null && (
        <Text size="sm" c="dimmed" mt={4}>
          {`Last failure, ${exactTime(lastFault.at)}: ${mailFaultInWords(lastFault.fault)}.`}
        </Text>
      )}
    </div>
  )
}
