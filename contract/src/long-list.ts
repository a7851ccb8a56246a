import { z } from "zod"

// Bodies that are long lists. To check one in a single run would keep all other requests of a server waiting, so there it is
// done in steps, and can be paused after every line. The schema does the same at once, for browsers and documents.

/** The first fault of a list. */
export interface ListFault {
  message: string
  /** Begins with the position of the line, unless it is a fault of the whole list. */
  path: PropertyKey[]
}

export type CheckedList<List = unknown> = { list: List; fault?: undefined } | { fault: ListFault; list?: undefined }

/**
 * Checks a list up to its first fault, one line in each step. Accepts and refuses exactly what the list's schema does, with
 * the same first fault.
 */
export type Steps<List = unknown> = Generator<undefined, CheckedList<List>>

interface LinesOf<Line> {
  line: z.ZodType<Line>
  /** The message for what is no list. */
  error: string
  max: number
  tooLong: string
  /** Adds the faults of lines that do not go together. */
  together(lines: Line[], context: z.RefinementCtx<Line[]>): void
}

export function longList<Line>({ line, error, max, tooLong, together }: LinesOf<Line>) {
  const listWith = (schema: z.ZodType<Line>) =>
    z.array(schema, { error }).min(1, "No data found").max(max, tooLong).superRefine(together)
  const ofCheckedLines = listWith(z.custom<Line>())
  return {
    schema: listWith(line),
    *inSteps(sent: unknown): Steps<Line[]> {
      if (!Array.isArray(sent)) return faulty(error)
      // As in the schema, this comes before the faults of lines.
      if (sent.length > max) return faulty(tooLong)
      const lines: Line[] = []
      for (const [index, one] of sent.entries()) {
        const parsed = line.safeParse(one)
        if (!parsed.success) return faultIn(parsed.error, [index])
        lines.push(parsed.data)
        yield
      }
      const parsed = ofCheckedLines.safeParse(lines)
      return parsed.success ? { list: parsed.data } : faultIn(parsed.error)
    },
  }
}

interface QuickLines<Line> {
  /** The message for what is no list. */
  error: string
  /** How the API document describes a line. */
  items: object
  check(lines: readonly unknown[]): Steps<Line[]>
}

/** For the longest lists: schemas are slow, so their lines are checked without one. */
export function quickList<Line>({ error, items, check }: QuickLines<Line>) {
  const schema = z
    .array(z.unknown(), { error })
    .transform((lines, context) => listOf(atOnce(check(lines)), context))
    // Every line has been checked. This only describes them in the API document.
    .pipe(z.custom<Line[]>().meta({ type: "array", items }))
  return {
    schema,
    *inSteps(sent: unknown): Steps<Line[]> {
      return Array.isArray(sent) ? yield* check(sent) : faulty(error)
    },
  }
}

export function faulty(message: string, path: PropertyKey[] = []): { fault: ListFault } {
  return { fault: { message, path } }
}

/** For a schema whose input is a list that has been checked. */
export function listOf<List>({ list, fault }: CheckedList<List>, context: z.RefinementCtx): List {
  if (fault === undefined) return list
  context.addIssue({ code: "custom", ...fault })
  return z.NEVER
}

function faultIn(error: z.core.$ZodError, at: PropertyKey[] = []): { fault: ListFault } {
  const [first] = error.issues
  return faulty(first?.message ?? "Invalid input", [...at, ...(first?.path ?? [])])
}

function atOnce<Result>(steps: Generator<undefined, Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
