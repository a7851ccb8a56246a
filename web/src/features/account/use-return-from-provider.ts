import { useEffect } from "react"
import { useSearchParams } from "react-router"
import { visitParameters } from "../../lib/factor-page.ts"
import { notify } from "../../lib/notify.ts"
import { signInProblem } from "../../lib/sign-in-problem.ts"
import { signInProviders } from "../../lib/sign-in-providers.ts"

/** Says once what came of a visit to a sign-in provider, and removes it from the address. */
export function useReturnFromProvider(): void {
  const [params, setParams] = useSearchParams()
  const connected = signInProviders().find(({ name }) => name === params.get("connected"))?.label
  const problem = signInProblem(params.toString())
  useEffect(() => {
    if (connected === undefined && problem === undefined) return
    if (connected !== undefined) notify.success(`You can now log in with ${connected}`)
    if (problem !== undefined) notify.error(problem)
    const others = (current: URLSearchParams) =>
      new URLSearchParams([...current].filter(([name]) => !visitParameters.includes(name)))
    setParams(others, { replace: true, preventScrollReset: true })
  }, [connected, problem, setParams])
}
