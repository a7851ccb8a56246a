import type { Call, InputOf } from "@envkeep/contract"
import { schemaResolver, useForm } from "@mantine/form"

export type CallForm<C extends Call> = ReturnType<typeof useCallForm<C>>

interface CallFormOptions {
  /** Validates a field at every change, not only when the form is submitted. */
  live?: boolean
}

/**
 * The state of a form that sends `call`. The schema of the contract decides which fields are marked as invalid. The
 * message comes from the call, which validates its input with the same schema.
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
    /** The props of the input for one field. */
    field(name: keyof InputOf<C> & string) {
      const { value, onChange, error } = form.getInputProps(name)
      return { value: value as string, onChange: onChange as (change: unknown) => void, error: error !== undefined }
    },
    /** Marks the invalid fields and passes the values to `write`, which shows the message. */
    send<Done>(write: (input: InputOf<C>) => Done): Done {
      form.validate()
      return write(form.getValues() as InputOf<C>)
    },
    reset: form.reset,
  }
}
