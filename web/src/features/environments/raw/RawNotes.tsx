import { Alert, Button, Group, Text } from "@mantine/core"
import { formatNumber } from "../../../ui/counts.ts"
import { Names } from "../../../ui/Names.tsx"
import { type DotenvFault, type DotenvSigns, describeSigns } from "./raw-dotenv.ts"

interface RawNotesProps {
  /** Set while the text looks like a .env file. */
  signs: DotenvSigns | undefined
  /** Why the text could not be read as a .env file. */
  faults: DotenvFault[]
  /** Set right after the text was read as a .env file. */
  wasRead: boolean
  /** Names of the values that are not in the text because of their line breaks. */
  beside: string[]
  damaged: string[]
  onRead: () => void
  onUndo: () => void
}

export function RawNotes({ signs, faults, wasRead, beside, damaged, onRead, onUndo }: RawNotesProps) {
  return (
    <>
      {signs !== undefined && (
        <Alert className="raw-note" role="status" mt="sm" title="Every line is taken literally">
          <Group gap="sm" justify="space-between">
            <Text size="sm" flex="1 1 260px">
              This looks like a .env file. After Confirm, {describeSigns(signs)}.
            </Text>
            <Button variant="default" size="xs" onClick={onRead}>
              Read as .env
            </Button>
          </Group>
        </Alert>
      )}
      {faults.length > 0 && (
        <Alert className="danger-note" role="status" mt="sm" title="This cannot be read as a .env file">
          <ul className="raw-faults">
            {faults.slice(0, maxFaults).map(({ line, reason }) => (
              <li key={line}>{`Line ${formatNumber(line)}: ${reason}`}</li>
            ))}
            {faults.length > maxFaults && <li>{`and ${faults.length - maxFaults} more`}</li>}
          </ul>
        </Alert>
      )}
      {wasRead && (
        <Alert className="raw-note" role="status" mt="sm" title="Read as a .env file">
          <Group gap="sm" justify="space-between">
            <Text size="sm" flex="1 1 260px">
              Comments, “export” and quotes are gone. Nothing is saved before Confirm.
            </Text>
            <Button variant="default" size="xs" onClick={onUndo}>
              Undo
            </Button>
          </Group>
        </Alert>
      )}
      {beside.length > 0 && (
        <Alert className="raw-note" mt="sm" title="Values with line breaks are kept as they are">
          They do not fit on one line, so they are not in this text: <Names names={beside} />
        </Alert>
      )}
      {damaged.length > 0 && (
        <Alert className="danger-note" mt="sm" title="Damaged items">
          The stored values of these items cannot be read. Enter new values here, or delete the items first:{" "}
          <Names names={damaged} />
        </Alert>
      )}
    </>
  )
}

/** The first ones are enough to start with. */
const maxFaults = 5
