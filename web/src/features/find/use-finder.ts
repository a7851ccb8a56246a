import { useDebouncedValue } from "@mantine/hooks"
import { type KeyboardEvent, useEffect, useEffectEvent, useState } from "react"
import { useFound } from "./queries.ts"
import { type Choice, useGroups } from "./use-groups.ts"

/** Shorter than the pause between two keys of most people, so that a word is one or two searches. */
const debounceMs = 90

/** What is typed, what was found for it, and which of that is active. */
export function useFinder(onClose: () => void) {
  const [text, setText] = useState("")
  const [activeIndex, setActiveIndex] = useState(0)
  const [opensFirst, setOpensFirst] = useState(false)
  const sought = text.trim()
  const [searched] = useDebouncedValue(sought, debounceMs)
  // An empty field shows at once what it shows.
  const { found, isCurrent, error, retry } = useFound(sought === "" ? "" : searched)
  const isSettled = sought === "" || (searched === sought && (isCurrent || error !== null))
  const groups = useGroups(sought, found)
  const choices = groups.flatMap((group) => group.choices)
  const active = choices[Math.min(activeIndex, choices.length - 1)]

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

  const activate = (choice: Choice) => setActiveIndex(choices.indexOf(choice))
  return { text, sought, change, handleKey, groups, choices, active, activate, choose, isSettled, error, retry }
}
