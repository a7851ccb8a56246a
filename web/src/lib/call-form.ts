import type { Call, InputOf } from "@envkeep/contract"
import { schemaResolver, useForm } from "@mantine/form"

export type CallForm<C extends Call> = ReturnType<typeof useCallForm<C>>

interface CallFormOptions {
  /** Marks a field while it is typed into, not only when the form is sent. */
  live?: boolean
}

/**
 * The state of a form that sends `call`. The contract decides which fields are marked as wrong. The sentence comes from
 * the call, which checks its input by the same schema, so a refusal reads the same wherever it is found.
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
    /** The values right now, also in a handler that was made before the last key. */
    current: () => form.getValues() as InputOf<C>,
    /** The properties of the input for one field. */
    field(name: keyof InputOf<C> & string) {
      const { value, onChange, error } = form.getInputProps(name)
      return { value: value as string, onChange: onChange as (change: unknown) => void, error: error !== undefined }
    },
    /** Marks what the contract refuses and passes the values to `write`, which says why. */
    send<Done>(write: (input: InputOf<C>) => Done): Done {
      form.validate()
      return write(form.getValues() as InputOf<C>)
    },
    reset: form.reset,
  }
}
