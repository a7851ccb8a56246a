import { lazy, Suspense, useEffect, useState } from "react"
import { type ConfirmWays, onConfirmNeeded } from "../lib/confirm-again.ts"
import { loadConfirm } from "./screens.ts"

const ConfirmAgainDialog = lazy(async () => ({ default: await loadConfirm() }))

interface Question {
  ways: ConfirmWays
  answer: (isConfirmed: boolean) => void
}

/** Where a call that needs a confirmation finds the dialog that asks for it. */
export function ConfirmAgain() {
  const [question, setQuestion] = useState<Question>()
  const [isOpen, setOpen] = useState(false)

  useEffect(
    () =>
      onConfirmNeeded((ways) => {
        const { promise, resolve } = Promise.withResolvers<boolean>()
        setQuestion({ ways, answer: resolve })
        setOpen(true)
        return promise
      }),
    [],
  )
  if (question === undefined) return null

  function done(isConfirmed: boolean) {
    setOpen(false)
    question?.answer(isConfirmed)
  }
  return (
    <Suspense>
      <ConfirmAgainDialog opened={isOpen} ways={question.ways} onDone={done} />
    </Suspense>
  )
}
