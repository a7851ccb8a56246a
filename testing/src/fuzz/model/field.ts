import type { Arbitrary } from "fast-check"
import type { Account, Browser, Model, ModelCollection, ModelEnvironment, ModelItem, Trashed } from "./model.ts"
import type { Fault } from "./text-rules.ts"

/** What a call depends on: the model, the browser it is made from, and the account that is signed in there. */
export interface CallContext {
  model: Model
  browser: Browser
  account: Account | undefined
}

/** What a request is made from: the model as it is then, and the fields before this one. */
export interface RequestContext<Input = Record<string, unknown>> extends CallContext {
  input: Input
  /** What the call is about, if the caller has it. */
  collection?: ModelCollection
  environment?: ModelEnvironment
  item?: ModelItem
  trashed?: Trashed<ModelCollection | ModelEnvironment>
}

/** How an input field is drawn. */
export interface Field<Drawn = unknown, Sent = Drawn> {
  draw: Arbitrary<Drawn>
  /** If it is not sent as it was drawn. */
  sent?(context: RequestContext, drawn: Drawn): Sent
  /** What the specification says against it. */
  faults?(sent: Sent, blank: string): Fault[]
}

/** Its only purpose is that the compiler infers the types. */
export const field = <Drawn, Sent = Drawn>(one: Field<Drawn, Sent>): Field<Drawn, Sent> => one
