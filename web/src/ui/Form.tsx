import { Button, type ButtonProps } from "@mantine/core"
import {
  type ComponentPropsWithRef,
  createContext,
  type FormEvent,
  type ReactNode,
  type Ref,
  useContext,
  useEffect,
  useRef,
  useState,
} from "react"
import { useOnce } from "./use-once.ts"

const Pending = createContext(false)

interface FormProps {
  label?: string
  className?: string
  onSubmit: () => Promise<unknown>
  children: ReactNode
}

/** A form that cannot be submitted twice at once. After a refusal the first invalid field gets the focus. */
export function Form({ label, className, onSubmit, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null)
  const [submit, pending] = useOnce(onSubmit)
  const [attempts, setAttempts] = useState(0)

  useEffect(() => {
    if (attempts > 0) firstInvalid(form.current)?.focus()
  }, [attempts])

  async function handle(event: FormEvent) {
    event.preventDefault()
    await submit()
    setAttempts((count) => count + 1)
  }
  return (
    // The browser's own validation is off, because its messages are not ours.
    <form ref={form} noValidate aria-label={label} className={className} onSubmit={handle}>
      <Pending value={pending}>{children}</Pending>
    </form>
  )
}

function firstInvalid(form: HTMLFormElement | null): HTMLElement | undefined {
  const fields = [...(form?.elements ?? [])].filter((field) => field instanceof HTMLElement)
  return fields.find((field) => field.getAttribute("aria-invalid") === "true")
}

interface SubmitButtonProps extends ButtonProps {
  ref?: Ref<HTMLButtonElement>
  children: ReactNode
}

export function SubmitButton({ children, ...rest }: SubmitButtonProps) {
  const pending = useContext(Pending)
  return (
    <Button {...rest} component={FocusableButton} type="submit" loading={pending}>
      {children}
    </Button>
  )
}

/** Keeps the focus during submission: a disabled button would lose it. The form blocks a second submission anyway. */
function FocusableButton({ disabled, ...rest }: ComponentPropsWithRef<"button">) {
  const pending = useContext(Pending)
  return <button {...rest} disabled={disabled === true && !pending} aria-disabled={pending || undefined} />
}
