import { limits } from "@envkeep/contract"
import { Button, CloseButton, Loader, VisuallyHidden } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import { IconSearch } from "@tabler/icons-react"
import { type KeyboardEvent, useEffect, useEffectEvent, useId, useState } from "react"
import { counted } from "../../ui/counts.ts"
import { Icon } from "../../ui/Icon.tsx"
import { FoundOption } from "./FoundOption.tsx"
import { useFound } from "./queries.ts"
import { type Choice, useGroups } from "./use-groups.ts"

/** Shorter than the pause between two keys of most people, so that a word is one or two searches. */
const debounceMs = 90

/** The field and the list below it. The focus stays in the field; the arrow keys move the active option. */
export function Finder({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState("")
  const [activeIndex, setActiveIndex] = useState(0)
  const [opensFirst, setOpensFirst] = useState(false)
  const listId = useId()
  const sought = text.trim()
  const [searched] = useDebouncedValue(sought, debounceMs)
  // An empty field shows at once what it shows.
  const { found, isCurrent, error, retry } = useFound(sought === "" ? "" : searched)
  const isSettled = sought === "" || (searched === sought && (isCurrent || error !== null))
  const groups = useGroups(sought, found)
  const choices = groups.flatMap((group) => group.choices)
  const active = choices[Math.min(activeIndex, choices.length - 1)]
  const optionId = (choice: Choice) => `${listId}-${choices.indexOf(choice)}`

  function choose(choice: Choice) {
    onClose()
    choice.open()
  }
  const chooseFirst = useEffectEvent(() => {
    setOpensFirst(false)
    const [first] = choices
    if (first !== undefined) choose(first)
  })
  useEffect(() => {
    if (isSettled && opensFirst) chooseFirst()
  }, [isSettled, opensFirst])

  function change(next: string) {
    setText(next)
    setActiveIndex(0)
    setOpensFirst(false)
  }
  function move(step: number) {
    setActiveIndex((Math.min(activeIndex, choices.length - 1) + step + choices.length) % choices.length)
    setOpensFirst(false)
  }
  function handleKey(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return
    const acts: Record<string, () => void> = {
      ArrowDown: () => choices.length > 0 && move(1),
      ArrowUp: () => choices.length > 0 && move(-1),
      Enter() {
        // The list is that of an earlier text, so its first option is not what was asked for.
        if (!isSettled && activeIndex === 0) setOpensFirst(true)
        else if (active !== undefined) choose(active)
        else if (error !== null) retry()
      },
    }
    const act = acts[event.key]
    if (act === undefined) return
    event.preventDefault()
    act()
  }
  return (
    <>
      <div className="find__head">
        <Icon shape={IconSearch} />
        <input
          className="find__field"
          role="combobox"
          aria-label="Find"
          aria-expanded="true"
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={active && optionId(active)}
          placeholder="Find collections, environments, variables, actions"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          maxLength={limits.itemName}
          data-autofocus
          value={text}
          onChange={(event) => change(event.currentTarget.value)}
          onKeyDown={handleKey}
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
                onActive={() => setActiveIndex(choices.indexOf(choice))}
                onChoose={() => choose(choice)}
              />
            ))}
          </div>
        ))}
      </div>
      {choices.length === 0 && isSettled && (
        <div className="find__none">
          {error === null ? (
            "Nothing in your reach has a name with this text."
          ) : (
            <>
              The search failed.
              <Button variant="default" size="xs" onClick={retry}>
                Try again
              </Button>
            </>
          )}
        </div>
      )}
      <VisuallyHidden role="status">{isSettled && sought !== "" && results(choices.length)}</VisuallyHidden>
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
    </>
  )
}

function results(count: number): string {
  return count === 0 ? "No results" : counted(count, "result")
}
