import { Button, Loader, VisuallyHidden } from "@mantine/core"
import { IconArrowLeft } from "@tabler/icons-react"
import { useId, useLayoutEffect } from "react"
import type { FindSlot } from "../../lib/find-window.ts"
import { counted } from "../../ui/counts.ts"
import { Icon } from "../../ui/Icon.tsx"
import { FoundOption } from "./FoundOption.tsx"
import { useFinder } from "./use-finder.ts"
import type { Choice } from "./use-groups.ts"
import "./find.css"

/**
 * Finds collections, environments, variables and actions by name, and opens what is chosen. The focus stays in the field;
 * the arrow keys move the active option.
 */
export function FindResults({ slot }: { slot: FindSlot }) {
  const finder = useFinder(slot)
  const { sought, name, groups, choices, active, isSettled, error } = finder
  const listId = useId()
  const optionId = (choice: Choice) => `${listId}-${choices.indexOf(choice)}`
  useCombobox(slot.field, listId, active && optionId(active))
  return (
    <>
      {(!isSettled || finder.isLoadingMore) && <Loader size={16} className="find__loader" aria-hidden="true" />}
      {name !== undefined && (
        <button type="button" className="find__back" onClick={finder.goBack}>
          <Icon shape={IconArrowLeft} />
          All results
        </button>
      )}
      <div id={listId} className="find__list" role="listbox" aria-label="Results">
        {groups.map(({ label, count, choices: ofGroup }) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be in a listbox.
          <div key={label} role="group" aria-label={label}>
            <div className="find__label" aria-hidden="true">
              <span className="find__group">{label}</span>
              {count !== undefined && <span className="find__count">{count}</span>}
            </div>
            {ofGroup.map((choice) => (
              <FoundOption
                key={choice.key}
                id={optionId(choice)}
                choice={choice}
                sought={name === undefined ? sought : ""}
                isActive={choice === active}
                onActive={() => finder.activate(choice)}
                onChoose={() => finder.choose(choice)}
              />
            ))}
          </div>
        ))}
      </div>
      <Told isSettled={isSettled} failed={error !== null} count={choices.length} onRetry={finder.retry} />
      <VisuallyHidden role="status">
        {isSettled && error === null && sought !== "" && results(choices.length)}
      </VisuallyHidden>
      <FinderKeys canGoBack={name !== undefined} />
    </>
  )
}

/** The field is not rendered here: it was there before the list. */
function useCombobox(field: HTMLInputElement, listId: string, activeId: string | undefined): void {
  useLayoutEffect(() => {
    field.setAttribute("aria-expanded", "true")
    field.setAttribute("aria-controls", listId)
    if (activeId === undefined) field.removeAttribute("aria-activedescendant")
    else field.setAttribute("aria-activedescendant", activeId)
  }, [field, listId, activeId])
}

interface ToldProps {
  isSettled: boolean
  failed: boolean
  count: number
  onRetry: () => void
}

/** What is said below the list. That the search failed also where actions were found: they are found without the server. */
function Told({ isSettled, failed, count, onRetry }: ToldProps) {
  if (failed) {
    return (
      <div role="alert" className="find__told">
        The search failed.
        <Button variant="default" size="xs" onClick={onRetry}>
          Try again
        </Button>
      </div>
    )
  }
  if (count > 0) return null
  return (
    <div className="find__told">{isSettled ? "Nothing in your reach has a name with this text." : "Searching…"}</div>
  )
}

function FinderKeys({ canGoBack }: { canGoBack: boolean }) {
  return (
    <div className="find__keys" aria-hidden="true">
      <span>
        <kbd>↑</kbd>
        <kbd>↓</kbd> to move
      </span>
      <span>
        <kbd>Enter</kbd> to open
      </span>
      <span>
        <kbd>Esc</kbd> {canGoBack ? "to go back" : "to close"}
      </span>
    </div>
  )
}

function results(count: number): string {
  return count === 0 ? "No results" : counted(count, "result")
}
