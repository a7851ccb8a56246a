import { hashPassword, passwordMatches } from "@envkeep/server/keys/password.ts"
import { engineNames, engines, type Group } from "../bench.ts"
import { openLine } from "../load/line.ts"
import { requestText } from "../load/request.ts"
import { startProduct } from "../product.ts"
import { milliseconds, type Section, times } from "../report.ts"
import { email, password, stock } from "../stock.ts"
import { newStoreLocation } from "../store-location.ts"
import { byTurns, median, medianOf, medianRatio, timed } from "../turns.ts"

export const login: Group = {
  name: "login",
  async run(bench) {
    const section: Section = {
      title: "Login",
      how: "One after the other, over one connection. For comparison: the password check alone, which is slow on purpose.",
      columns: ["", "login", "password check alone", "times"],
      rows: [],
      held: [],
    }
    const stored = await hashPassword(password, "bench")
    const repeats = Math.min(bench.options.calls, 20)
    for (const engine of engines) {
      const product = await startProduct(bench, await newStoreLocation(bench, engine))
      await stock(product, 1)
      const line = await openLine(product.port)
      const request = requestText({ method: "POST", path: "/api/users/login", body: { email, password } })
      const results = await byTurns(bench.options.turns, {
        ours: () => medianOf(repeats, async () => (await line.ask(request, 200)).ms),
        bare: () => medianOf(repeats, () => timed(() => passwordMatches(stored, password, "bench"))),
      })
      line.close()
      section.rows.push([
        engineNames[engine],
        milliseconds(median(results.ours)),
        milliseconds(median(results.bare)),
        times(medianRatio(results.ours, results.bare)),
      ])
    }
    return [section]
  },
}
