import type { Environment } from "@envkeep/contract"
import { Text } from "@mantine/core"
import { useState } from "react"
import { heirLevels } from "../../lib/inheritance.ts"
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx"
import { CheckField } from "../names/CheckField.tsx"
import { RestorableFor } from "../trash/RestorableFor.tsx"
import { HeirNames } from "./inheritance/HeirNames.tsx"
import { useReloadEnvironment, useRemoveEnvironment } from "./queries.ts"
import { WhatGoes } from "./WhatGoes.tsx"

interface DeleteEnvironmentProps {
  environment: Environment
  /** All environments of the collection. */
  environments: readonly Environment[]
  opened: boolean
  onClose: () => void
  onDeleted: () => void
}

export function DeleteEnvironment({ environment, environments, opened, onClose, onDeleted }: DeleteEnvironmentProps) {
  const { id, name, collectionId } = environment
  const [copyDown, setCopyDown] = useState(true)
  const remove = useRemoveEnvironment(collectionId)
  const reload = useReloadEnvironment(environment)
  const levels = heirLevels(environment, environments)
  const heirs = levels.flat()

  function close() {
    setCopyDown(true)
    onClose()
  }
  async function confirm() {
    const done = await remove({ id, ...(heirs.length > 0 && { copyDown }) }, levels[0] ?? [])
    if (done === undefined) {
      // It may have got an heir that is not on the screen yet. Then there is something to choose.
      const now = await reload()
      if (now !== undefined && heirs.length === 0) return
    }
    close()
    if (done !== undefined) onDeleted()
  }
  return (
    <ConfirmDialog
      opened={opened}
      title="Delete this environment?"
      confirm="Delete"
      onConfirm={confirm}
      onClose={close}
      details={
        <>
          <WhatGoes environments={[environment]} />
          {heirs.length > 0 && (
            <div className="heirs-note">
              <Text size="sm" className="breaks-anywhere">
                <HeirNames heirs={heirs} />.
              </Text>
              <CheckField
                label="Copy its values into them first"
                description={
                  copyDown
                    ? "They keep what they have, now as their own."
                    : "They lose what they have from it. Apps that read it stop getting it within a second."
                }
                checked={copyDown}
                onChange={setCopyDown}
              />
            </div>
          )}
        </>
      }
    >
      <strong>{name}</strong> moves to the trash with its items and API keys. Apps that read it stop getting values
      within a second. <RestorableFor collectionId={collectionId} />
    </ConfirmDialog>
  )
}
