import type { Environment } from "@envkeep/contract"
import { heirLevels } from "../../lib/inheritance.ts"
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx"
import { plural } from "../../ui/counts.ts"
import { HeirNames } from "./inheritance/HeirNames.tsx"
import { useProtectEnvironment, useReloadEnvironment } from "./queries.ts"

interface ProtectDialogProps {
  environment: Environment
  /** All environments of the collection. */
  environments: readonly Environment[]
  opened: boolean
  onClose: () => void
}

export function ProtectDialog({ environment, environments, opened, onClose }: ProtectDialogProps) {
  const { id, name, collectionId, isProtected } = environment
  const protect = useProtectEnvironment(collectionId)

  const reload = useReloadEnvironment(environment)
  const openHeirs = heirLevels(environment, environments)
    .flat()
    .filter((heir) => !heir.isProtected)
  const withHeirs = !isProtected && openHeirs.length > 0

  async function confirm() {
    const done = await protect({ id, isProtected: !isProtected, ...(withHeirs && { withHeirs }) })
    // It may have got an heir that is not on the screen yet.
    if (done === undefined && !isProtected && (await reload()) !== undefined && !withHeirs) return
    onClose()
  }
  return (
    <ConfirmDialog
      opened={opened}
      title={isProtected ? "End the protection?" : "Protect this environment?"}
      confirm={isProtected ? "End protection" : withHeirs ? `Protect all ${openHeirs.length + 1}` : "Protect"}
      isHarmless={!isProtected}
      onConfirm={confirm}
      onClose={onClose}
    >
      {isProtected ? (
        <>
          Readers of this collection then see the values of <strong>{name}</strong>, also the earlier ones in its
          history. Editors can change them and manage its API keys.
        </>
      ) : (
        <>
          Only maintainers and owners see and change the values of <strong>{name}</strong> and its API keys. Readers and
          editors see its names. Its API keys go on, also those that an editor has copied: replace them if you need to.
          {withHeirs && (
            <>
              {" "}
              <HeirNames heirs={openHeirs} />, so {plural(openHeirs.length, "it is", "they are")} protected too.
            </>
          )}
        </>
      )}
    </ConfirmDialog>
  )
}
