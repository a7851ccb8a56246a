/** What was given to a command, checked against its options. */
export interface Given {
  words: string[]
  /** For a command that passes on: the program and its arguments. */
  program: string[]
  /** For a command that writes `.envkeep.json`. */
  replacesProject?: true
  has(option: string): boolean
  text(option: string): string | undefined
  list(option: string): string[] | undefined
}
