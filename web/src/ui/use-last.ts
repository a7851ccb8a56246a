import { useState } from "react"

/**
 * The value or, while there is none, the last one: what a dialog is about stays while the dialog fades out, so that its
 * text does not disappear first.
 */
export function useLast<Value>(value: Value | undefined): Value | undefined {
  const [last, setLast] = useState(value)
  if (value !== undefined && value !== last) setLast(value)
  return value === undefined ? last : value
}
