import { Button, CloseButton, Loader, VisuallyHidden } from "@mantine/core"
import { IconSearch } from "@tabler/icons-react"
import { useId } from "react"
import { counted } from "../../ui/counts.ts"
import { Icon } from "../../ui/Icon.tsx"
import { FinderField } from "./FinderField.tsx"
import { FoundOption } from "./FoundOption.tsx"
import { useFinder } from "./use-finder.ts"
import type { Choice } from "./use-groups.ts"

/** The field and the list below it. The focus stays in the field; the arrow keys move the active option. */
export function Finder({ onClose }: { onClose: () => void }) {
  const finder = useFinder(onClose)
  const { text, sought, groups, choices, active, isSettled, error } = finder
  const listId = useId()
  const optionId = (choice: Choice) => `${listId}-${choices.indexOf(choice)}`
  return (
    <>
      <div className="find__head">
        <Icon shape={IconSearch} />
        <FinderField
          text={text}
          listId={listId}
          activeId={active && optionId(active)}
          onChange={finder.change}
          onKey={finder.handleKey}
        />
        {!isSettled && <Loader size={16} aria-hidden="true" />}
        <CloseButton aria-label="Close" onClick={onClose} />
      </div>
      <div id={listId} className="find__list" role="listbox" aria-label="Results">
        {groups.map(({ label, count, choices: ofGroup }) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be in a listbox.
          <div key={label} role="group" aria-label={label}>
            <div className="find__label" aria-hidden="true">
              {label}
              {count !== undefined && <span>{count}</span>}
            </div>
            {ofGroup.map((choice) => (
              <FoundOption
                key={choice.key}
                id={optionId(choice)}
                choice={choice}
                sought={sought}
                isActive={choice === active}
                onActive={() => finder.activate(choice)}
                onChoose={() => finder.choose(choice)}
              />
            ))}
          </div>
        ))}
      </div>
      {choices.length === 0 && isSettled && <NothingFound failed={error !== null} onRetry={finder.retry} />}
      <VisuallyHidden role="status">{isSettled && sought !== "" && results(choices.length)}</VisuallyHidden>
      <FinderKeys />
    </>
  )
}

function NothingFound({ failed, onRetry }: { failed: boolean; onRetry: () => void }) {
  return (
    <div className="find__none">
      {failed ? (
        <>
          The search failed.
          <Button variant="default" size="xs" onClick={onRetry}>
            Try again
          </Button>
        </>
      ) : (
        "Nothing in your reach has a name with this text."
      )}
    </div>
  )
}

function FinderKeys() {
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
        <kbd>Esc</kbd> to close
      </span>
    </div>
  )
}

function results(count: number): string {
  return count === 0 ? "No results" : counted(count, "result")
}
