import { useEffect, useRef } from "react"
import { Icon } from "../../ui/Icon.tsx"
import { markedParts } from "./marked.ts"
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
      <span className="find__names">
        <span className={choice.isName ? "find__text name-text" : "find__text"}>
          <Marked text={choice.text} sought={sought} />
        </span>
        {choice.detail !== undefined && (
          <span className="find__detail">
            <Marked text={choice.detail} sought={choice.staysOpen ? "" : sought} />
          </span>
        )}
      </span>
    </div>
  )
}

function Marked({ text, sought }: { text: string; sought: string }) {
  return markedParts(text, sought).map((part) =>
    part.isMarked ? <mark key={part.start}>{part.text}</mark> : part.text,
  )
}
