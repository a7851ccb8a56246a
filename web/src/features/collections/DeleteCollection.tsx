import type { Collection } from "@envkeep/contract"
import { useDisclosure } from "@mantine/hooks"
import { IconTrash } from "@tabler/icons-react"
import { useNavigate } from "react-router"
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx"
import { counted } from "../../ui/counts.ts"
import { Icon } from "../../ui/Icon.tsx"
import { IconButton } from "../../ui/IconButton.tsx"
import { WhatGoes } from "../environments/WhatGoes.tsx"
import { RestorableFor } from "../trash/RestorableFor.tsx"
import { useRemoveCollection } from "./queries.ts"

export function DeleteCollection({ collection: { id, name, subCollections } }: { collection: Collection }) {
  const [asking, ask] = useDisclosure(false)
  const remove = useRemoveCollection(id)
  const navigate = useNavigate()

  async function confirm() {
    const done = await remove()
    ask.close()
    if (done !== undefined) await navigate("/collection/dashboard")
  }
  return (
    <>
      <IconButton label="Delete collection" className="danger-button" onClick={ask.open}>
        <Icon shape={IconTrash} />
      </IconButton>
      <ConfirmDialog
        opened={asking}
        title="Delete this collection?"
        confirm="Delete"
        onConfirm={confirm}
        onClose={ask.close}
        details={subCollections.length > 0 && <WhatGoes environments={subCollections} />}
      >
        {subCollections.length === 0 ? (
          <>
            <strong>{name}</strong> has no environments. It moves to the trash. <RestorableFor collectionId={id} />
          </>
        ) : (
          <>
            <strong>{name}</strong> moves to the trash with everything in it:{" "}
            {counted(subCollections.length, "environment")}, their items and API keys. Apps that read them stop getting
            values within a second. <RestorableFor collectionId={id} />
          </>
        )}
      </ConfirmDialog>
    </>
  )
}
