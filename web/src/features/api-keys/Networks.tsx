import type { KeyLeak } from "@envkeep/contract"
import { exactTime } from "../../lib/relative-time.ts"
import { counted, formatNumber, plural } from "../../ui/counts.ts"
import { Section } from "../../ui/Section.tsx"

/** From where the key was used. Networks that are not yours show who else has it. */
export function Networks({ leak: { networks, reads } }: { leak: KeyLeak }) {
  const times = plural(reads, "once", `${formatNumber(reads)} times`)
  return (
    <Section
      title="3. Look where it was used"
      lead={reads === 0 ? "" : `It was read ${times}. Check the networks that you do not know.`}
    >
      {networks.length === 0 ? (
        <p className="section__text">No read is recorded.</p>
      ) : (
        <ul className="row-list" aria-label="Networks">
          {networks.map(({ network, firstAt, lastAt, hours, reads, client }) => (
            <li key={network} className="row-list__row">
              <div>
                <code>{network}</code>
                <span className="leak-name__text breaks-anywhere">
                  {`${counted(reads, "read")} in ${counted(hours, "hour")}, from ${exactTime(firstAt)} to ${exactTime(lastAt)}${client === "" ? "" : `, by ${client}`}`}
                </span>
              </div>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}
