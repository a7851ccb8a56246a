import type { Environment } from "@envkeep/contract"
import type { Inheritance } from "../../lib/inheritance.ts"
import { ApiKeysDialog } from "../api-keys/ApiKeysDialog.tsx"
import { CopyDialog } from "../copy/CopyDialog.tsx"
import { ExampleDialog } from "../names/ExampleDialog.tsx"
import { DeleteEnvironment } from "./DeleteEnvironment.tsx"
import { ExportDialog } from "./export/ExportDialog.tsx"
import { ImportDialog } from "./import/ImportDialog.tsx"
import { InheritDialog } from "./inheritance/InheritDialog.tsx"
import { ProtectDialog } from "./ProtectDialog.tsx"
import { RawDialog } from "./raw/RawDialog.tsx"
import type { OpenedDialogs } from "./use-environment-dialogs.ts"

interface EnvironmentDialogsProps {
  environment: Environment
  /** All environments of the collection. */
  environments: readonly Environment[]
  inheritance: Inheritance
  /** How many rows are not saved. */
  unsaved: number
  dialogs: OpenedDialogs
  onDeleted: () => void
}

/** The dialogs of one environment. */
export function EnvironmentDialogs(props: EnvironmentDialogsProps) {
  const { environment, environments, inheritance, unsaved, dialogs, onDeleted } = props
  const { id, name, collectionId, apiKeys } = environment
  const { opened, close } = dialogs
  return (
    <>
      <ImportDialog
        environment={environment}
        unsaved={unsaved}
        initialText={dialogs.importText}
        opened={opened === "import"}
        onClose={close}
      />
      <ExportDialog
        environment={environment}
        inheritance={inheritance}
        unsaved={unsaved}
        format={dialogs.format}
        onChoose={dialogs.setFormat}
        opened={opened === "export"}
        onClose={close}
      />
      <ExampleDialog
        collectionId={collectionId}
        environment={environment}
        opened={opened === "example"}
        onClose={close}
      />
      <RawDialog environment={environment} inheritance={inheritance} opened={opened === "raw"} onClose={close} />
      <ApiKeysDialog
        environmentId={id}
        environmentName={name}
        collectionId={collectionId}
        apiKeys={apiKeys}
        opened={opened === "keys"}
        onClose={close}
      />
      {opened === "copy to" && <CopyDialog collectionId={collectionId} from={id} onClose={close} />}
      {opened === "copy from" && <CopyDialog collectionId={collectionId} to={id} onClose={close} />}
      <InheritDialog
        environment={environment}
        environments={environments}
        opened={opened === "inherit"}
        onClose={close}
      />
      <ProtectDialog
        environment={environment}
        environments={environments}
        opened={opened === "protect"}
        onClose={close}
      />
      <DeleteEnvironment
        environment={environment}
        environments={environments}
        opened={opened === "delete"}
        onClose={close}
        onDeleted={onDeleted}
      />
    </>
  )
}
