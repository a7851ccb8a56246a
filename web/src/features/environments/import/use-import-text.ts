import type { Environment } from "@envkeep/contract"
import { detectSyntax, type Syntax } from "@envkeep/formats/import"
import { useMemo, useState } from "react"
import { isExampleFile, whatIsNew } from "../../names/found-descriptions.ts"
import { useAbouts } from "../../names/queries.ts"
import { describedIn } from "./described.ts"
import type { Take } from "./ImportDescribed.tsx"
import { textRefusal } from "./ImportSource.tsx"
import { type Mode, planImport } from "./import-plan.ts"
import { type Choices, incomingOf, noChoices } from "./incoming.ts"
import { useReadText } from "./use-read-text.ts"

/** What is described already stays. Values become examples only where they are examples. */
const describeOptions: Record<Take, { withExamples: boolean; replaces: boolean }> = {
  values: { withExamples: false, replaces: false },
  examples: { withExamples: true, replaces: false },
}

/** The text of an import, what the user chose for it, and what follows from both. */
export function useImportText(environment: Environment, initialText: string) {
  const { name: environmentName, isProtected, collectionId, collectionItems: items } = environment
  const initialRefusal = textRefusal(initialText)
  const [text, setText] = useState(initialRefusal === undefined ? initialText : "")
  const [file, setFile] = useState<string>()
  const [chosen, setChosen] = useState<Syntax>()
  const [choices, setChoices] = useState(noChoices)
  const [mode, setMode] = useState<Mode>("merge")
  const [chosenTake, setTake] = useState<Take>()
  const [skip, setSkip] = useState(false)

  const detected = useMemo(() => detectSyntax(text, file), [text, file])
  const { read, isCurrent, isSlow } = useReadText(text, chosen ?? detected, { environmentName, isProtected })
  const incoming = useMemo(() => read && incomingOf(read, choices), [read, choices])
  const plan = useMemo(() => incoming && planImport(incoming, items, mode), [incoming, items, mode])
  const isEmpty = text.trim() === ""
  const isExample = read?.isExample === true || (file !== undefined && isExampleFile(file))
  const canChooseTake = isExample && !isEmpty && read?.refusal === undefined
  const take = canChooseTake ? (chosenTake ?? "examples") : "values"
  const abouts = useAbouts(collectionId)
  const described = useMemo(
    () => whatIsNew(read ? describedIn(read, choices.from) : [], abouts, describeOptions[take]),
    [read, choices.from, abouts, take],
  )

  function edit(next: string, from: string | undefined) {
    setText(next)
    setFile(from)
    // The choices to skip lines and to import one part were about the text before this edit.
    setSkip(false)
    setChoices({ ...choices, from: undefined })
  }

  function chooseSyntax(next: Syntax | undefined) {
    setChosen(next)
    setSkip(false)
  }

  function choosePart(from: Choices["from"]) {
    setChoices({ ...choices, from })
    setSkip(false)
  }

  return {
    text,
    file,
    edit,
    isEmpty,
    initialRefusal,
    detected,
    chosen,
    chooseSyntax,
    choices,
    setChoices,
    choosePart,
    mode,
    setMode,
    canChooseTake,
    take,
    setTake,
    skip,
    setSkip,
    /** Of the text that was read last, which is not the current one while `isCurrent` is false. */
    read,
    isCurrent,
    isSlow,
    incoming,
    plan,
    described,
  }
}

export type ImportText = ReturnType<typeof useImportText>
