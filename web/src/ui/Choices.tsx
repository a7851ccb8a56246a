import { Box, Text } from "@mantine/core"
import { type ReactNode, useId } from "react"
import "./choices.css"

interface ChoicesProps {
  legend: string
  error?: string | undefined
  children: ReactNode
}

/** A question with its answers below each other. */
export function Choices({ legend, error, children }: ChoicesProps) {
  const errorId = useId()
  return (
    <fieldset className="choices" {...(error !== undefined && { "aria-describedby": errorId })}>
      <legend>{legend}</legend>
      {children}
      {error !== undefined && (
        <Text size="sm" c="var(--danger)" id={errorId}>
          {error}
        </Text>
      )}
    </fieldset>
  )
}

interface ChoiceProps {
  /** Radio buttons of the same name exclude each other. */
  name: string
  checked: boolean
  onChoose: () => void
  children: ReactNode
}

export function Choice({ name, checked, onChoose, children }: ChoiceProps) {
  return (
    <label className="choice">
      <input type="radio" name={name} checked={checked} onChange={onChoose} />
      {children}
    </label>
  )
}

interface CheckProps {
  checked: boolean
  onCheck: (checked: boolean) => void
  children: ReactNode
}

export function Check({ checked, onCheck, children }: CheckProps) {
  return (
    <label className="choice">
      <input type="checkbox" checked={checked} onChange={({ currentTarget }) => onCheck(currentTarget.checked)} />
      <span>{children}</span>
    </label>
  )
}

/** The answer and, below it, what it means. */
export function Explained({ title, text }: { title: string; text: string }) {
  return (
    <span>
      <strong>{title}</strong>
      <Text span display="block" inherit c="dimmed">
        {text}
      </Text>
    </span>
  )
}

interface InlineChoicesProps<Value extends string> {
  className: string
  legend: string
  name: string
  options: readonly { value: Value; label: ReactNode }[]
  chosen: Value
  onChoose: (value: Value) => void
}

/** A question whose few answers have room beside each other. */
export function InlineChoices<Value extends string>(props: InlineChoicesProps<Value>) {
  const { className, legend, name, options, chosen, onChoose } = props
  return (
    <fieldset className={`inline-choices ${className}`}>
      <legend>{legend}</legend>
      {options.map(({ value, label }) => (
        <label key={value} className="inline-choice">
          <input type="radio" name={name} checked={chosen === value} onChange={() => onChoose(value)} />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  )
}

/** The name of an answer and, behind it, what it does. */
export function titled(title: string, effect: string): ReactNode {
  return (
    <>
      <strong>{title}</strong>: {effect}
    </>
  )
}

interface AllOrSomeProps {
  legend: string
  all: string
  isAll: boolean
  error: string | undefined
  /** From this height on, the list scrolls. */
  maxHeightPx: number
  onAll: (isAll: boolean) => void
  /** What to choose some from. */
  children: ReactNode
}

export function AllOrSome({ legend, all, isAll, error, maxHeightPx, onAll, children }: AllOrSomeProps) {
  return (
    <Choices legend={legend} error={error}>
      <Choice name={legend} checked={isAll} onChoose={() => onAll(true)}>
        <strong>{all}</strong>
      </Choice>
      <Choice name={legend} checked={!isAll} onChoose={() => onAll(false)}>
        <strong>Only some</strong>
      </Choice>
      {!isAll && (
        <Box className="choices__list" mah={maxHeightPx}>
          {children}
        </Box>
      )}
    </Choices>
  )
}
