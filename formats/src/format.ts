import type { Parsed, Printed, Printer, Variable } from "./variable.ts"

/** One way to write variables as text. The server, the screens, the command and the documents all read it from here. */
export interface Format {
  /** As it appears in URLs and on the command line. The file that defines a format has the same name. */
  name: string
  /** What people call it, for menus and documents. */
  label: string
  mediaType: string
  /** What is added to an environment's name to get a file name, such as ".env". */
  fileEnding: string
  /** The programs it is written for, in Markdown. The tests have each of them read it back. */
  readers: string
  /** The text from which every reader gets exactly these variables, or all variables that the format cannot hold. */
  print: (variables: Variable[]) => Printed
  /** The same variable by variable, for a server that has other work to do in between. */
  startPrinting: () => Printer
  /** What the text says, and a reason for each line that cannot be read. Absent where Envkeep does not import the format. */
  parse?: (text: string) => Parsed
}

/**
 * What `docs/formats.md` says about a format, in Markdown. Each format's file exports it as `docs`. It is not part of the
 * object because bundlers cannot drop an unused property, and the client package and the screens do not need the prose.
 */
export interface FormatDocs {
  example: string
  names: string
  values: string
  /** Where a reader is limited or wrong, and what follows from it. */
  limits: string[]
}
