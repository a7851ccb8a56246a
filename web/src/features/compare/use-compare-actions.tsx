import { allows, type Collection, type Environment } from "@envkeep/contract"
import { useEffectEvent, useMemo, useState } from "react"
import { useLocation, useNavigate } from "react-router"
import { environmentAddress } from "../../lib/arrival.ts"
import { CopyDialog } from "../copy/CopyDialog.tsx"
import { ItemHistoryDialog } from "../history/ItemHistoryDialog.tsx"
import { AboutDialog } from "../names/AboutDialog.tsx"
import { type CompareActions, canEdit } from "./cell-actions.ts"
import { useCellDeletion } from "./use-cell-deletion.tsx"
import { useRevealedCells } from "./use-revealed-cells.ts"

interface CopyFrom {
  /** Undefined proposes all of them. */
  names: string[] | undefined
  from: number | undefined
}

/** What names and cells do, and the dialogs that they open, once for the whole screen. */
export function useCompareActions({ id: collectionId, role }: Collection, environments: readonly Environment[]) {
  const revealed = useRevealedCells()
  const deletion = useCellDeletion(collectionId)
  const [aboutName, setAboutName] = useState<string>()
  const [copying, setCopying] = useState<CopyFrom>()
  const [historyName, setHistoryName] = useState<string>()
  const [historyEnvironment, setHistoryEnvironment] = useState<Environment>()

  const navigate = useNavigate()
  const location = useLocation()
  const startDeletion = useEffectEvent(deletion.start)
  const openEnvironment = useEffectEvent(({ id: environmentId }: Environment) =>
    navigate(environmentAddress({ collectionId, environmentId }, {}, location)),
  )
  const canCopy = environments.length > 1 && environments.some((environment) => canEdit(role, environment))
  const actions = useMemo<CompareActions>(
    () => ({
      revealed,
      remove: ({ item }, environment) => item && startDeletion(item, environment),
      showAbout: setAboutName,
      showHistory(environment, name) {
        setHistoryEnvironment(environment)
        setHistoryName(name)
      },
      copyTo: canCopy ? (names, from) => setCopying({ names, from: from?.id }) : undefined,
      openEnvironment,
    }),
    [revealed, canCopy],
  )

  const dialogs = (
    <>
      <AboutDialog
        collectionId={collectionId}
        name={aboutName}
        canEdit={allows(role, "editor")}
        onClose={() => setAboutName(undefined)}
      />
      {copying && (
        <CopyDialog
          collectionId={collectionId}
          from={copying.from}
          names={copying.names}
          onClose={() => setCopying(undefined)}
        />
      )}
      {historyEnvironment !== undefined && (
        <ItemHistoryDialog environment={historyEnvironment} role={role} name={historyName} onChange={setHistoryName} />
      )}
      {deletion.dialog}
    </>
  )
  return { actions, dialogs }
}
