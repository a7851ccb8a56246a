import { passkeys, type RequestAnswer, sentences } from "@envkeep/contract"
import { useMutation } from "@tanstack/react-query"
import { useEffect, useEffectEvent, useState } from "react"
import { ApiError, api } from "../../lib/api.ts"
import { answerWithPasskey, offerPasskeys } from "../../lib/passkeys.ts"
import { topicOf, useWrite } from "../../lib/write.ts"
import { useSignIn } from "./queries.ts"

const askForSignIn = () => api(passkeys.beginSignIn, {})

/**
 * Signs in with a passkey when it is called, and when the user chooses one where the browser fills in the e-mail. The guard
 * around the login page then redirects.
 */
export function usePasskeySignIn(): () => Promise<void> {
  const signIn = useSignIn(passkeys.signIn)
  const answer = useAnswer(passkeys.signIn, askForSignIn)
  // The browser asks one question at a time: the button's ends the other.
  const [round, setRound] = useState(0)

  async function send(answer: RequestAnswer | undefined): Promise<void> {
    if (answer === undefined || (await signIn({ answer })) === undefined) setRound((count) => count + 1)
  }
  const offered = useEffectEvent(send)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each round is a new offer.
  useEffect(() => offerPasskeys(askForSignIn, (answer) => void offered(answer)), [round])
  return async () => send(await answer())
}

/** Finishes a login whose password was right. `onExpired`: it has to begin again. */
export function usePasskeySecondStep(onExpired: () => void): () => Promise<void> {
  const signIn = useSignIn(passkeys.secondStep, onExpired)
  const answer = useAnswer(passkeys.secondStep, () => api(passkeys.beginSecondStep, {}), onExpired)
  return async () => {
    const given = await answer()
    if (given !== undefined) await signIn({ answer: given })
  }
}

/** Resolves to whether the user has confirmed. What was refused until now succeeds, and shows that. */
export function usePasskeyConfirmation(): () => Promise<boolean> {
  const confirm = useWrite(passkeys.confirm, { quiet: true })
  const answer = useAnswer(passkeys.confirm, () => api(passkeys.beginConfirming, {}))
  return async () => {
    const given = await answer()
    return given !== undefined && (await confirm({ answer: given })) !== undefined
  }
}

/** Has the user answer with a passkey. Undefined if there is no answer: the screen then says why. */
function useAnswer(
  call: Parameters<typeof topicOf>[0],
  ask: Parameters<typeof answerWithPasskey>[0],
  onExpired?: () => void,
) {
  const { mutateAsync } = useMutation({
    mutationFn: () => answerWithPasskey(ask),
    meta: { topic: topicOf(call) },
  })
  return (): Promise<RequestAnswer | undefined> =>
    mutateAsync().catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error
      if (error.message === sentences.signInExpired) onExpired?.()
      return undefined
    })
}
