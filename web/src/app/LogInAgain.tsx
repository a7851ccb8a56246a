import { firstCalls, type User, type users } from "@envkeep/contract"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { lazy, Suspense, useEffect, useState } from "react"
import { firstAnswer } from "../lib/api.ts"
import { onSessionLost } from "../lib/log-in-again.ts"
import { endSession, startSession, userQuery } from "../lib/state.ts"
import { loadLogInAgain } from "./screens.ts"

const LogInAgainDialog = lazy(async () => ({ default: await loadLogInAgain() }))

interface Question {
  askedAt: number
  answer: (isBack: boolean) => void
}

/** Where a call whose session has ended finds the dialog that begins another one, while something is typed on the page. */
export function LogInAgain({ user }: { user: User }) {
  const client = useQueryClient()
  const [question, setQuestion] = useState<Question>()
  // The user is read again by whatever begins a session, also in another tab.
  const { dataUpdatedAt } = useQuery(userQuery)
  const isOpen = question !== undefined && dataUpdatedAt <= question.askedAt

  useEffect(
    () =>
      onSessionLost(() => {
        const { promise, resolve } = Promise.withResolvers<boolean>()
        setQuestion({ askedAt: Date.now(), answer: resolve })
        return promise
      }),
    [],
  )
  useEffect(() => {
    if (question !== undefined && !isOpen) question.answer(true)
  }, [question, isOpen])

  // Coming back from a tab of a sign-in provider, which tells no other tab.
  useEffect(() => {
    if (!isOpen) return
    const look = async () => {
      if (document.visibilityState === "hidden") return
      const { data } = await firstAnswer<typeof users.me>(firstCalls.me)
      if (data?.id === user.id) startSession(client, data)
    }
    const lookAgain = () => void look().catch(() => undefined)
    document.addEventListener("visibilitychange", lookAgain)
    return () => document.removeEventListener("visibilitychange", lookAgain)
  }, [client, isOpen, user.id])

  if (question === undefined) return null

  function discard() {
    endSession(client)
    question?.answer(false)
  }
  return (
    <Suspense>
      <LogInAgainDialog key={question.askedAt} opened={isOpen} user={user} onDiscard={discard} />
    </Suspense>
  )
}
