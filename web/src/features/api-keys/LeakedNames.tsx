import type { KeyLeak, LeakedName } from "@envkeep/contract"
import { Anchor } from "@mantine/core"
import { IconCircle, IconCircleCheck } from "@tabler/icons-react"
import { Link } from "react-router"
import { Icon } from "../../ui/Icon.tsx"
import { Section } from "../../ui/Section.tsx"

/** The values that the key could read. Each is ticked off when it has been replaced since the key stopped. */
export function LeakedNames({ leak }: { leak: KeyLeak }) {
  const { names, endedAt, apiKey, collectionId, revisions } = leak
  const open = names.filter(({ state }) => state === "open")
  return (
    <Section title="2. Replace what it could read" lead={leadOf(leak, open.length)}>
      {names.length === 0 ? (
        <p className="section__text">There was nothing to read.</p>
      ) : (
        <ul className="row-list leak-names" aria-label="Values to replace">
          {names.map((name) => (
            <li key={`${name.environmentId} ${name.name}`} className="row-list__row" aria-label={name.name}>
              <div className="leak-name">
                <span className={name.state === "open" ? "leak-name__open" : "leak-name__done"}>
                  <Icon shape={name.state === "open" ? IconCircle : IconCircleCheck} />
                </span>
                <div>
                  <code className="breaks-anywhere">{name.name}</code>
                  <span className="leak-name__text">{describe(name, apiKey.subCollectionId)}</span>
                </div>
              </div>
              {name.state === "open" && endedAt !== null && (
                <Anchor
                  component={Link}
                  size="sm"
                  to={`/collection/${collectionId}?env=${name.environmentId}`}
                  aria-label={`Replace ${name.renamedTo ?? name.name}`}
                >
                  Replace
                </Anchor>
              )}
            </li>
          ))}
        </ul>
      )}
      <p className="section__text leak-revisions">
        {`${lifeOf(revisions)} A key also reads older revisions that are kept: what they held and is still in use elsewhere must be replaced too.`}
      </p>
    </Section>
  )
}

function leadOf({ names, endedAt }: KeyLeak, open: number): string {
  if (names.length === 0) return ""
  if (endedAt === null) return "Stop the key first: until then it reads the new values too."
  if (open === 0) return "All of them have been replaced or removed."
  return `${names.length - open} of ${names.length} done. Change each value where it comes from, then save the new one here.`
}

function lifeOf({ from, to }: KeyLeak["revisions"]): string {
  if (from === to) return `While it worked, the environment was at revision ${to}.`
  return `While it worked, the environment went from revision ${from} to ${to}.`
}

const stateWords: Record<LeakedName["state"], string> = { open: "", replaced: "replaced", removed: "removed" }

function describe({ state, renamedTo, wasRead, environmentId, environmentName }: LeakedName, ownId: number): string {
  return [
    stateWords[state],
    wasRead ? "was read" : "not read while it was there",
    environmentId === ownId ? "" : `inherited from ${environmentName}`,
    renamedTo === null ? "" : `now called ${renamedTo}`,
  ]
    .filter((part) => part !== "")
    .join(" · ")
}
