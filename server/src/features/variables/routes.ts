import { variables } from "@envkeep/contract"
import type { Core } from "../../core/core.ts"
import { type Http, keyRoute, streamRoute, textRoute } from "../../http/route.ts"
import type { AnswerRead } from "./answer.ts"
import * as rules from "./rules.ts"
import type { Watch } from "./watch.ts"

interface VariableParts {
  reading: rules.Reading
  watch: Watch
  answerRead: AnswerRead
}

export function variableRoutes(http: Http, core: Core, { reading, watch, answerRead }: VariableParts): void {
  textRoute(http, variables.read, async (caller, { format, revision }, { response, lookUp, ...condition }) => {
    const wanted = { caller, format, condition, lookUp }
    const read = await (revision === undefined
      ? rules.readVariables(core, reading, wanted)
      : rules.readRevision(core, reading, { ...wanted, revision }))
    const answer = answerRead(read, condition.ifNoneMatch)
    if (answer.status === 200) reading.unsent.hold(read.rendered, response)
    return answer
  })
  keyRoute(http, variables.key, (caller) => rules.describeKey(core.db, reading, caller))
  streamRoute(http, variables.watch, (caller, open) => watch.add(caller, open))
}
