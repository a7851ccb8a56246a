import { type Call, type InputOf, refusedField } from "@envkeep/contract"
import { schemaResolver, useForm } from "@mantine/form"
import type { OnRefused } from "./write.ts"

export type CallForm<C extends Call> = ReturnType<typeof useCallForm<C>>

interface CallFormOptions {
  /** Validates a field at every change, not only when the form is submitted. */
  live?: boolean
}

/**
 * The state of a form that sends `call`. A refusal appears under its field, whether it comes from the contract's schema
 * or from the server. The notification with the same sentence comes from the call.
 */
export function useCallForm<C extends Call>(
  call: C,
  initialValues: InputOf<C>,
  { live = false }: CallFormOptions = {},
) {
  const form = useForm({
    initialValues: initialValues as Record<string, unknown>,
    validate: schemaResolver(call.input, { sync: true }),
    validateInputOnChange: live,
  })
  return {
    values: form.values as InputOf<C>,
    /** The latest values, also in a handler from an earlier render. */
    current: () => form.getValues() as InputOf<C>,
    isDirty: () => form.isDirty(),
    /** The props of the input for one field. */
    field(name: keyof InputOf<C> & string) {
      const { value, onChange, error } = form.getInputProps(name)
      return {
        value: value as string,
        onChange: onChange as (change: unknown) => void,
        error: error as string | undefined,
      }
    },
    /** Passes the values to `write`, which notifies the user, and shows its refusal under the field that it is about. */
    send<Done>(write: (input: InputOf<C>, onRefused: OnRefused) => Done): Done {
      const sent = form.getValues()
      form.clearErrors()
      return write(sent as InputOf<C>, (sentence) => form.setErrors(errorsOf(call, sent, sentence)))
    },
    reset: form.reset,
  }
}

/** The sentences for the fields of `sent`, by field, after the call was refused with `sentence`. */
export function errorsOf(call: Call, sent: Record<string, unknown>, sentence: string): Record<string, string> {
  const field = refusedField[sentence]
  if (field !== undefined) return { [field]: sentence }
  const issues = call.input.safeParse(sent).error?.issues ?? []
  // The first of several sentences for a field is the one that counts.
  return Object.fromEntries(issues.map(({ path, message }) => [String(path[0]), message]).toReversed())
}
