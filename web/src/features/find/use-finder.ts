import { useDebouncedValue } from "@mantine/hooks"
import { useEffect, useEffectEvent, useLayoutEffect, useState } from "react"
import { useLocation } from "react-router"
import { closeFind, type FindSlot } from "../../lib/find-window.ts"
import { collectionAt } from "../../lib/opened.ts"
import { useFound } from "./queries.ts"
import { type Choice, useGroups } from "./use-groups.ts"

/** Shorter than the pause between two keys of most people, so that a word is one or two searches. */
const debounceMs = 90

/** What is typed, what was found for it, and which of that is active. */
export function useFinder({ field, heldKeys, takeKeys }: FindSlot) {
  const [text, setText] = useState(field.value)
  const [name, setName] = useState<string>()
  const [activeKey, setActiveKey] = useState<string>()
  // Presses that wait for the list of this text.
  const [waiting, setWaiting] = useState<string[]>([])
  const sought = text.trim()
  const [debounced] = useDebouncedValue(sought, debounceMs)
  const isFirst = debounced === ""
  // An empty field shows at once what it shows, and what was typed before this was loaded is searched at once.
  const searched = sought === "" ? "" : isFirst ? sought : debounced
  const collectionId = collectionAt(useLocation().pathname)
  const { found, isCurrent, error, retry, loadMore, isLoadingMore } = useFound({ text: searched, collectionId, name })
  const isSettled = sought === "" || (searched === sought && (isCurrent || error !== null))
  const groups = useGroups({
    sought,
    found,
    name,
    onName: (chosen) => {
      setName(chosen)
      setActiveKey(undefined)
    },
    onMore: (kind) => loadMore(kind, (countBefore) => setActiveKey(`${kind} ${countBefore}`)),
  })
  const choices = groups.flatMap((group) => group.choices)
  const isChosen = choices.some(({ key }) => key === activeKey)
  const active = choices.find(({ key }) => key === activeKey) ?? choices[0]

  function choose(choice: Choice) {
    if (!choice.staysOpen) closeFind()
    choice.open()
  }

  function change(next: string) {
    setText(next)
    setName(undefined)
    setActiveKey(undefined)
    setWaiting([])
  }

  function goBack() {
    setName(undefined)
    setActiveKey(undefined)
  }

  /** Where the keys lead from an option of the list. The last of them can be Enter. */
  function press(pressed: readonly string[]) {
    let at = active === undefined ? -1 : choices.indexOf(active)
    for (const key of pressed) {
      const chosen = choices[at]
      if (key !== "Enter") at = (at + (key === "ArrowDown" ? 1 : -1) + choices.length) % choices.length
      else if (chosen !== undefined) return choose(chosen)
      else if (error !== null) return retry()
    }
    setActiveKey(choices[at]?.key)
  }

  function handleKey(event: KeyboardEvent) {
    if (event.isComposing) return
    const { key } = event
    if (key === "Escape" && name !== undefined) goBack()
    else if (key === "Enter" || key === "ArrowDown" || key === "ArrowUp") {
      // The list is that of an earlier text, so its first option is not what is asked for.
      const isTooEarly = !isSettled && (key === "Enter" ? !isChosen : choices.length === 0)
      if (isTooEarly || waiting.length > 0) setWaiting((before) => [...before, key])
      else press([key])
    } else return
    event.preventDefault()
  }

  const onKey = useEffectEvent(handleKey)
  const onInput = useEffectEvent(() => change(field.value))
  // In the same moment in which the list is there, so that no key is between the two.
  useLayoutEffect(() => {
    const listening = new AbortController()
    field.addEventListener("keydown", (event) => onKey(event), { signal: listening.signal })
    field.addEventListener("input", () => onInput(), { signal: listening.signal })
    takeKeys()
    setText(field.value)
    setWaiting(heldKeys.splice(0))
    return () => listening.abort()
  }, [field, heldKeys, takeKeys])

  const pressWaiting = useEffectEvent(() => {
    setWaiting([])
    press(waiting)
  })
  const isDue = isSettled && waiting.length > 0
  useEffect(() => {
    if (isDue) pressWaiting()
  }, [isDue])

  const activate = (choice: Choice) => setActiveKey(choice.key)
  return { sought, name, goBack, groups, choices, active, activate, choose, isSettled, isLoadingMore, error, retry }
}
