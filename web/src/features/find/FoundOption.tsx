import { useEffect, useRef } from "react"
import { Icon } from "../../ui/Icon.tsx"
import type { Choice } from "./use-groups.ts"

interface FoundOptionProps {
  id: string
  choice: Choice
  sought: string
  isActive: boolean
  onActive: () => void
  onChoose: () => void
}

export function FoundOption({ id, choice, sought, isActive, onActive, onChoose }: FoundOptionProps) {
  const option = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isActive) option.current?.scrollIntoView({ block: "nearest" })
  }, [isActive])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and handles the keys.
    // biome-ignore lint/a11y/useFocusableInteractive: the field points to the active option.
    <div
      ref={option}
      id={id}
      role="option"
      aria-selected={isActive}
      className="find__option"
      // Not when the list scrolls under a pointer that rests.
      onMouseMove={onActive}
      onMouseDown={(event) => event.preventDefault()}
      onClick={onChoose}
    >
      <Icon shape={choice.icon} />
      <span className={choice.isName ? "find__text name-text" : "find__text"}>
        <Marked text={choice.text} part={sought} />
      </span>
      {choice.detail !== undefined && (
        <span className="find__detail">
          <span className="find__collection">{choice.detail}</span>
          {choice.environment !== undefined && <span className="find__environment">{` / ${choice.environment}`}</span>}
        </span>
      )}
    </div>
  )
}

/** The text with the part that was searched for marked, where it begins first. */
function Marked({ text, part }: { text: string; part: string }) {
  const folded = text.toLowerCase()
  const at = part === "" ? -1 : folded.indexOf(part.toLowerCase())
  // A few letters are longer in lower case. Then the position is that of another letter.
  if (at === -1 || folded.length !== text.length) return text
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + part.length)}</mark>
      {text.slice(at + part.length)}
    </>
  )
}
