import type { Environment } from "@envkeep/contract"
import type { FormatName } from "@envkeep/formats"
import { useEffect, useEffectEvent, useState } from "react"
import { type ArrivalDialog, useArrival } from "../../lib/arrival.ts"
import type { Allowed } from "./allowed.ts"

export type DialogName =
  | "import"
  | "export"
  | "example"
  | "raw"
  | "keys"
  | "copy from"
  | "copy to"
  | "inherit"
  | "protect"
  | "delete"

/** Which dialog of an environment is open, and what it starts with. An address may ask for one. */
export function useEnvironmentDialogs({ id }: Environment, { canSee, canEdit }: Allowed) {
  const [opened, setOpened] = useState<DialogName>()
  const [importText, setImportText] = useState("")
  const [format, setFormat] = useState<FormatName>("dotenv")

  const arrival = useArrival(id)
  const openArrived = useEffectEvent((asked: ArrivalDialog) => {
    if (asked === "export" ? canSee : canEdit) setOpened(asked)
    arrival.onArrived()
  })
  useEffect(() => {
    if (arrival.open !== undefined) openArrived(arrival.open)
  }, [arrival.open])

  return {
    opened,
    importText,
    format,
    setFormat,
    open: setOpened,
    openImport(text: string) {
      setImportText(text)
      setOpened("import")
    },
    openExport(chosen: FormatName) {
      setFormat(chosen)
      setOpened("export")
    },
    close: () => setOpened(undefined),
  }
}

export type OpenedDialogs = ReturnType<typeof useEnvironmentDialogs>
