import type { ParseArgsOptionsConfig, parseArgs } from "node:util"
import type { Config } from "../config.ts"
import type { OpenDatabase } from "../db/open.ts"
import type { CommandResult } from "./command-result.ts"

/** One command of the command line, such as `npm run backup`. */
export interface Command<Options extends ParseArgsOptionsConfig = ParseArgsOptionsConfig> {
  name: string
  /** What it does, in one line. */
  summary: string
  usage: string
  /** What its arguments mean, one line each. */
  help?: readonly string[]
  /** For `util.parseArgs`, which refuses every other option. */
  options: Options
  /** Throws a `MisuseError` when the arguments make no sense together. */
  run(context: CommandContext, values: Values<Options>, positionals: string[]): Promise<CommandResult>
}

/** What every command is given. */
export interface CommandContext {
  config: Config
  /**
   * Opens the store of the settings, which must exist. It is closed when the command has ended. No statement is ended because
   * it takes long, unless `isUnhurried` is false.
   */
  openStore(options?: { readOnly?: boolean; isUnhurried?: boolean }): Promise<OpenDatabase>
  /** For commands that write events. Brings the tables up to date, unless a server of an earlier version is running. */
  migrate(store: OpenDatabase): Promise<void>
  /** Asks the user at the terminal. Undefined where there is none. */
  ask: ((question: string) => Promise<string>) | undefined
  /** The absolute path of a file as the user named it. */
  absolutePath(file: string): string
}

type Values<Options extends ParseArgsOptionsConfig> = ReturnType<typeof parseArgs<{ options: Options }>>["values"]

/** Arguments that the command does not take: the usage is printed. */
export class MisuseError extends Error {
  override name = "MisuseError"
}

/** Gives `values` in `run` the types of the command's options. */
export function defineCommand<const Options extends ParseArgsOptionsConfig>(
  command: Command<Options>,
): Command<Options> {
  return command
}
