import type { Environment } from "@envkeep/contract"
import { useState } from "react"
import { notify } from "../../../lib/notify.ts"
import { useDescribeMany } from "../../names/queries.ts"
import { saveAllTopic, useReloadEnvironment, useSaveAllItems } from "../queries.ts"
import { importBlocker } from "./import-plan.ts"
import type { ImportText } from "./use-import-text.ts"

interface SaveImportOptions {
  environment: Environment
  content: ImportText
  note: string
  /** Whether the descriptions in the text are stored too. */
  describes: boolean
  onClose: () => void
}

/** Saves what the preview shows, and nothing else. */
export function useSaveImport({ environment, content, note, describes, onClose }: SaveImportOptions) {
  // The state that the user was last asked about.
  const [seenRevision, setSeenRevision] = useState(environment.revision)
  // Until it closes: what it has saved itself is not a change by others.
  const [isSaving, setIsSaving] = useState(false)
  const describeMany = useDescribeMany(environment.collectionId)
  const reloadEnvironment = useReloadEnvironment(environment)
  const saveAll = useSaveAllItems(environment.collectionId)
  const { isEmpty, isCurrent, incoming, plan, take, skip, described } = content

  async function confirm() {
    if (isEmpty) return notify.warning("No data found", saveAllTopic)
    if (!isCurrent || incoming === undefined || plan === undefined)
      return notify.info("The preview is not ready yet. Check it before you import")
    if (take === "examples") return confirmDescriptions()
    const reason = importBlocker(incoming, plan, skip)
    if (reason !== undefined) return notify.warning(reason, saveAllTopic)
    // The list also contains the items to keep. A stale list would undo a colleague's change.
    const now = await reloadEnvironment()
    if (now === undefined) return
    if (now.revision !== seenRevision) {
      setSeenRevision(now.revision)
      const message = "The environment has changed. Nothing was saved; check the new preview first"
      return notify.warning(message, saveAllTopic)
    }
    setIsSaving(true)
    const saved = await saveAll({ id: environment.id, items: plan.result, revision: now.revision, note })
    if (saved === undefined) return setIsSaving(false)
    // If this fails, the values are stored, and the notification says what is not.
    if (describes) await describeMany(described)
    onClose()
  }

  async function confirmDescriptions() {
    if (described.length === 0) return notify.info("Everything in this text is described already")
    if (await describeMany(described)) onClose()
  }

  return { confirm, isSaving }
}
