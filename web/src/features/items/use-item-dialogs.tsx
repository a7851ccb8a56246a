import { allows, type Environment, type Item, type Level } from "@envkeep/contract"
import { useState } from "react"
import type { Inheritance } from "../../lib/inheritance.ts"
import { ItemHistoryDialog } from "../history/ItemHistoryDialog.tsx"
import { AboutDialog } from "../names/AboutDialog.tsx"

interface ItemDialogsOptions {
  environment: Environment
  inheritance: Inheritance
  /** What the user is in the collection. */
  role: Level
}

/** The dialogs that each row opens, once for the whole list. An inherited item has its history where it is stored. */
export function useItemDialogs({ environment, inheritance, role }: ItemDialogsOptions) {
  const [historyOf, setHistoryOf] = useState<string>()
  const [historyIn, setHistoryIn] = useState(environment.id)
  const [aboutName, setAboutName] = useState<string>()
  // The same at each render, so that no row is rendered again because of them.
  const [show] = useState(() => ({
    history({ name, subCollectionId }: Item) {
      setHistoryIn(subCollectionId)
      setHistoryOf(name)
    },
    about: ({ name }: Item) => setAboutName(name),
  }))
  const dialogs = (
    <>
      <ItemHistoryDialog
        environment={inheritance.bases.find(({ id }) => id === historyIn) ?? environment}
        isOther={historyIn !== environment.id}
        role={role}
        name={historyOf}
        onChange={setHistoryOf}
      />
      <AboutDialog
        collectionId={environment.collectionId}
        name={aboutName}
        canEdit={allows(role, "editor")}
        onClose={() => setAboutName(undefined)}
      />
    </>
  )
  return { show, dialogs }
}
