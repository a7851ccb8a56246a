import type { CollectionSummary, Found } from "@envkeep/contract"
import { IconStack2, IconStack3, IconVariable } from "@tabler/icons-react"
import { useQuery } from "@tanstack/react-query"
import { useLocation, useNavigate } from "react-router"
import { environmentAddress } from "../../lib/arrival.ts"
import { collectionsQuery, useUser } from "../../lib/state.ts"
import { formatNumber } from "../../ui/counts.ts"
import { useColorSchemeSwitch } from "../../ui/use-color-scheme-switch.ts"
import { type Action, actionsFor } from "./actions.ts"
import { keyOf, type Place, useRecent } from "./recent.ts"

export interface Choice {
  key: string
  icon: Action["icon"]
  text: string
  /** The collection that it is in. */
  detail?: string | undefined
  /** The environment that it is in. It is shown whole, because a name is often in many of a collection. */
  environment?: string | undefined
  /** Whether the text is the name of a variable. */
  isName?: boolean
  open: () => void
}

export interface ChoiceGroup {
  label: string
  /** How many of how many are listed, if these are not all. */
  count?: string | undefined
  choices: Choice[]
}

/** What the list shows: recent places while the field is empty, then what was found, and actions at the end. */
export function useGroups(sought: string, found: Found | undefined): ChoiceGroup[] {
  const user = useUser()
  const location = useLocation()
  const navigate = useNavigate()
  const scheme = useColorSchemeSwitch()
  const [recent, remember] = useRecent()
  const { data: collections = [] } = useQuery(collectionsQuery)

  function toChoice(place: Place): Choice {
    const { collectionId, collectionName, environmentId, environmentName, name } = place
    const key = keyOf(place)
    const go = (address: string) => () => {
      remember(place)
      navigate(address)
    }
    if (environmentId === undefined) {
      return { key, icon: IconStack3, text: collectionName, open: go(`/collection/${collectionId}`) }
    }
    const address = (item?: string) =>
      environmentAddress({ collectionId, environmentId }, item === undefined ? {} : { item }, location)
    return name === undefined
      ? { key, icon: IconStack2, text: environmentName ?? "", detail: collectionName, open: go(address()) }
      : {
          key,
          icon: IconVariable,
          text: name,
          detail: collectionName,
          environment: environmentName,
          isName: true,
          open: go(address(name)),
        }
  }
  const actions = user === null ? [] : actionsFor(sought, { user, collections, location, scheme })
  const groups: ChoiceGroup[] = [
    ...(sought === ""
      ? [{ label: "Recent", choices: recentPlaces(recent, collections).map(toChoice) }]
      : foundGroups(found, toChoice)),
    {
      label: "Actions",
      choices: actions.map(({ label, detail, icon, does }) => ({
        key: `${label} ${typeof does === "string" ? does : ""}`,
        icon,
        text: label,
        detail,
        open: typeof does === "string" ? () => navigate(does) : does,
      })),
    },
  ]
  return groups.filter(({ choices }) => choices.length > 0)
}

const shownRecent = 5

/** What was opened last, filled up with the collections that were changed last. */
function recentPlaces(recent: Place[], collections: CollectionSummary[]): Place[] {
  const changed = collections
    .toSorted((one, other) => (other.changedAt ?? "").localeCompare(one.changedAt ?? ""))
    .map(({ id, name }) => ({ collectionId: id, collectionName: name }))
  const known = new Set(recent.map(keyOf))
  return [...recent, ...changed.filter((place) => !known.has(keyOf(place)))].slice(0, shownRecent)
}

function foundGroups(found: Found | undefined, toChoice: (place: Place) => Choice): ChoiceGroup[] {
  if (found === undefined) return []
  const { collections, environments, variables } = found
  return [
    group("Collections", collections, ({ id, name }) => toChoice({ collectionId: id, collectionName: name })),
    group("Environments", environments, ({ id, name, ...place }) =>
      toChoice({ environmentId: id, environmentName: name, ...place }),
    ),
    group("Variables", variables, toChoice),
  ]
}

function group<Row>(label: string, { total, best }: { total: number; best: Row[] }, toChoice: (row: Row) => Choice) {
  const count = total > best.length ? `${best.length} of ${formatNumber(total)}` : undefined
  return { label, count, choices: best.map(toChoice) }
}
