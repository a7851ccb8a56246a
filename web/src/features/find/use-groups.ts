import type { CollectionSummary, Found, FoundVariable } from "@envkeep/contract"
import { IconArrowDown, IconStack2, IconStack3, IconVariable } from "@tabler/icons-react"
import { useQuery } from "@tanstack/react-query"
import { useLocation, useNavigate } from "react-router"
import { environmentAddress } from "../../lib/arrival.ts"
import { type Opened, openedQuery } from "../../lib/opened.ts"
import { collectionsQuery, useUser } from "../../lib/state.ts"
import { counted, formatNumber } from "../../ui/counts.ts"
import { useColorSchemeSwitch } from "../../ui/use-color-scheme-switch.ts"
import { type Action, actionsFor } from "./actions.ts"
import type { Kind } from "./queries.ts"

export interface Choice {
  key: string
  icon: Action["icon"]
  text: string
  /** The collection and the environment that it is in, or in how many it is. */
  detail?: string | undefined
  /** Whether the text is the name of a variable. */
  isName?: boolean
  /** It shows more in the list, and goes nowhere. */
  staysOpen?: boolean
  open: () => void
}

export interface ChoiceGroup {
  label: string
  /** How many of how many are listed, if these are not all. */
  count?: string | undefined
  choices: Choice[]
}

interface Listed {
  sought: string
  found: Found | undefined
  /** Of which only the places are listed. */
  name: string | undefined
  onName: (name: string) => void
  onMore: (kind: Kind) => void
}

/** What the list shows: what was opened while the field is empty, then what was found, and actions at the end. */
export function useGroups({ sought, found, name, onName, onMore }: Listed): ChoiceGroup[] {
  const user = useUser()
  const location = useLocation()
  const navigate = useNavigate()
  const scheme = useColorSchemeSwitch()
  const { data: opened = [] } = useQuery(openedQuery)
  const { data: collections = [] } = useQuery(collectionsQuery)

  const openerOf =
    ({ collectionId, environmentId, name: item }: Opened) =>
    () =>
      navigate(
        environmentId === undefined
          ? `/collection/${collectionId}`
          : environmentAddress({ collectionId, environmentId }, item === undefined ? {} : { item }, location),
      )

  function toVariable(one: FoundVariable): Omit<Choice, "key"> {
    const { places = 1 } = one
    const isGroup = places > 1
    return {
      icon: IconVariable,
      text: one.name,
      detail: isGroup ? `in ${counted(places, "environment")}` : `${one.collectionName} / ${one.environmentName}`,
      isName: true,
      staysOpen: isGroup,
      open: isGroup ? () => onName(one.name) : openerOf(one),
    }
  }

  function group<Row extends { places?: number | undefined }>(
    kind: Kind,
    label: string,
    toChoice: (row: Row) => Omit<Choice, "key">,
  ): ChoiceGroup {
    const { total, best, next } = (found?.[kind] ?? { total: 0, best: [] }) as Found[Kind] & { best: Row[] }
    const shown = best.reduce((sum, { places = 1 }) => sum + places, 0)
    const count = next === undefined ? undefined : `${formatNumber(shown)} of ${formatNumber(total)}`
    const choices = best.map((row, at) => ({ key: `${kind} ${at}`, ...toChoice(row) }))
    const more: Choice = {
      key: `${kind} more`,
      icon: IconArrowDown,
      text: "Show more",
      detail: count,
      staysOpen: true,
      open: () => onMore(kind),
    }
    return { label, count, choices: next === undefined ? choices : [...choices, more] }
  }

  if (name !== undefined) {
    return [
      group<FoundVariable>("variables", `${name} in ${counted(found?.variables.total ?? 0, "environment")}`, (one) => ({
        icon: IconStack2,
        text: one.environmentName,
        detail: one.collectionName,
        open: openerOf(one),
      })),
    ]
  }
  const places =
    sought === ""
      ? openedGroups(opened, collections).map(({ label, places: all }) => ({
          label,
          choices: all.map((place) => ({ ...shownPlace(place), open: openerOf(place) })),
        }))
      : [
          group<Found["collections"]["best"][number] & { places?: number }>("collections", "Collections", (one) => ({
            icon: IconStack3,
            text: one.name,
            open: openerOf({ collectionId: one.id }),
          })),
          group<Found["environments"]["best"][number] & { places?: number }>("environments", "Environments", (one) => ({
            icon: IconStack2,
            text: one.name,
            detail: one.collectionName,
            open: openerOf({ collectionId: one.collectionId, environmentId: one.id }),
          })),
          group<FoundVariable>("variables", "Variables", toVariable),
        ]
  const actions = user === null ? [] : actionsFor(sought, { user, collections, location, scheme })
  const groups: ChoiceGroup[] = [
    ...places,
    {
      label: "Actions",
      choices: actions.map(({ label, detail, icon, does }) => ({
        key: `action ${label} ${typeof does === "string" ? does : ""}`,
        icon,
        text: label,
        detail,
        open: typeof does === "string" ? () => navigate(does) : does,
      })),
    },
  ]
  return groups.filter(({ choices }) => choices.length > 0)
}

const maxOfEach = 5

interface NamedPlace extends Opened {
  collectionName: string
  environmentName?: string
}

/** What was opened, newest first, and the collections that were changed last. The names are those of now. */
function openedGroups(opened: readonly Opened[], collections: readonly CollectionSummary[]) {
  const known = new Map(collections.map((collection) => [collection.id, collection]))
  const recent = opened.flatMap((place): NamedPlace[] => {
    const collection = known.get(place.collectionId)
    if (collection === undefined) return []
    if (place.environmentId === undefined) return [{ ...place, collectionName: collection.name }]
    const environment = collection.subCollections.find(({ id }) => id === place.environmentId)
    return environment === undefined
      ? []
      : [{ ...place, collectionName: collection.name, environmentName: environment.name }]
  })
  const openedIds = new Set(recent.map(({ collectionId }) => collectionId))
  const others = collections
    .filter(({ id }) => !openedIds.has(id))
    .toSorted((one, other) => (other.changedAt ?? "").localeCompare(one.changedAt ?? ""))
    .map(({ id, name }): NamedPlace => ({ collectionId: id, collectionName: name }))
  return [
    { label: "Recent", places: recent.slice(0, maxOfEach) },
    { label: "Collections", places: others.slice(0, maxOfEach) },
  ]
}

function shownPlace({ collectionId, collectionName, environmentId, environmentName, name }: NamedPlace) {
  const key = `opened ${collectionId} ${environmentId} ${name}`
  if (environmentName === undefined) return { key, icon: IconStack3, text: collectionName }
  if (name === undefined) return { key, icon: IconStack2, text: environmentName, detail: collectionName }
  return { key, icon: IconVariable, text: name, detail: `${collectionName} / ${environmentName}`, isName: true }
}
