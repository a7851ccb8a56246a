import { hashPassword, passwordMatches } from "@envkeep/server/keys/password.ts"
import { onEachEngine } from "../bench.ts"
import { engineNames } from "../engines.ts"
import { requestText } from "../load/request.ts"
import { milliseconds, times } from "../report.ts"
import { serveNew } from "../served.ts"
import { email, password } from "../stock.ts"
import { compare, medianOf, timed } from "../turns.ts"

const head = {
  title: "Login",
  how: "One after the other, over one connection. For comparison: the password check alone, which is slow on purpose.",
  columns: ["", "login", "password check alone", "times"],
}

export const login = onEachEngine("login", head, async (bench, engine, section) => {
  const { ask } = await serveNew(bench, engine, { variables: 1 })
  const request = requestText({ method: "POST", path: "/api/users/login", body: { email, password } })
  const stored = await hashPassword(password, "bench")
  const repeats = Math.min(bench.options.calls, 20)
  const { first, second, ratio } = await compare(
    bench.options.turns,
    () => medianOf(repeats, () => timed(() => passwordMatches(stored, password, "bench"))),
    () => medianOf(repeats, () => ask(request)),
  )
  section.rows.push([engineNames[engine], milliseconds(second), milliseconds(first), times(ratio)])
})
