import type { Format } from "./format.ts"
import type { Printed, Printer, Refused, Variable } from "./variable.ts"

/** How a format writes. Each function takes one variable, in time that grows with its length and not faster. */
interface Writing {
  write: (variable: Variable) => string
  /** Why the format cannot hold the variable: a value is never written so that it comes back changed. */
  refusal?: (variable: Variable) => string | undefined
  /** For a reader that takes only so many bytes of values. */
  maxTotal?: { valueBytes: number; reason: string }
  /** Before the first variable, between two, and after the last. */
  head?: string
  separator?: string
  tail?: string
  /** The text of no variables. */
  empty?: string
}

/** The two ways to print, for a format's object. */
export function printing(writing: Writing): Pick<Format, "print" | "startPrinting"> {
  const startPrinting = () => startPrinter(writing)
  return {
    startPrinting,
    print(variables): Printed {
      const printer = startPrinting()
      const pieces = variables.map(printer.add)
      const last = printer.end()
      return "refused" in last ? last : { text: pieces.join("") + last.text }
    },
  }
}

function startPrinter({
  write,
  refusal,
  maxTotal,
  head = "",
  separator = "",
  tail = "",
  empty = "",
}: Writing): Printer {
  const refused: Refused[] = []
  let count = 0
  let totalBytes = 0
  return {
    add(variable) {
      const overflow = totalRefusal(variable)
      const reason = refusal?.(variable) ?? overflow
      if (reason !== undefined) refused.push({ name: variable.name, reason })
      // What is refused has no text, but the other variables that it cannot hold are named too.
      if (refused.length > 0) return ""
      return (count++ === 0 ? head : separator) + write(variable)
    },
    end: () => (refused.length > 0 ? { refused } : { text: count === 0 ? empty : tail }),
  }

  function totalRefusal({ value }: Variable): string | undefined {
    if (maxTotal === undefined) return undefined
    totalBytes += new TextEncoder().encode(value).length
    return totalBytes > maxTotal.valueBytes ? maxTotal.reason : undefined
  }
}
