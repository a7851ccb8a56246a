import type { Environment, Level } from "@envkeep/contract"
import { Text } from "@mantine/core"
import { IconLock } from "@tabler/icons-react"
import type { Inheritance } from "../../lib/inheritance.ts"
import { whyHidden } from "../../lib/roles.ts"
import { Icon } from "../../ui/Icon.tsx"
import { useAbouts } from "../names/queries.ts"
import { ItemTools } from "./ItemTools.tsx"
import { baseNameOf, matches } from "./listed-items.ts"
import { ReadOnlyRow } from "./ReadOnlyRow.tsx"
import { useItemDialogs } from "./use-item-dialogs.tsx"
import { useItemFilter } from "./use-item-filter.ts"
import { useShown } from "./use-shown.ts"
import { VirtualRows } from "./VirtualRows.tsx"
import "./items.css"

interface ReadOnlyItemsProps {
  environment: Environment
  inheritance: Inheritance
  /** What the user is in the collection. */
  role: Level
  /** Where the history of the environment is. */
  historyPath: string
}

/** The items for a user who may not change them: with their values, or only their names if the role hides the values. */
export function ReadOnlyItems({ environment, inheritance, role, historyPath }: ReadOnlyItemsProps) {
  const { collectionId, collectionItems: items, valuesHidden } = environment
  const { show, dialogs } = useItemDialogs({ environment, inheritance, role })
  const abouts = useAbouts(collectionId)
  const shown = useShown()
  const { filter, setFilter, search, all, arrival } = useItemFilter({ environment, inheritance, own: items })
  const rows = search === "" ? all : all.filter(({ name }) => matches(name, search))
  return (
    <>
      {valuesHidden && (
        <div className="items__hidden">
          <Icon shape={IconLock} />
          <span>{whyHidden(role, environment)}</span>
        </div>
      )}
      {all.length === 0 ? (
        <div className="items__note">
          <Text c="dimmed" size="sm">
            No items yet.
          </Text>
        </div>
      ) : (
        <ItemTools
          filter={filter}
          found={rows.length}
          total={all.length}
          allShown={valuesHidden ? undefined : shown.all}
          historyPath={historyPath}
          onFilter={setFilter}
          onToggleAll={shown.toggleAll}
        />
      )}
      <VirtualRows
        rows={rows}
        filter={search}
        arrival={arrival}
        render={(item) => (
          <ReadOnlyRow
            item={item}
            collectionId={collectionId}
            valuesHidden={valuesHidden}
            inheritedFrom={baseNameOf(inheritance, item)}
            overrides={baseNameOf(inheritance, inheritance.overridden.get(item.name))}
            shown={shown.isShown(item.id)}
            about={abouts.get(item.name)}
            onToggle={shown.toggle}
            onAbout={show.about}
            onHistory={show.history}
          />
        )}
      />
      {dialogs}
    </>
  )
}
