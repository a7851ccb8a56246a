import { Button, Group, Text } from "@mantine/core"
import { type ClipboardEvent, useState } from "react"
import { counted, formatNumber } from "../../ui/counts.ts"
import { Dialog } from "../../ui/Dialog.tsx"
import { looksLikeVariables, type Pasted, readPasted } from "./pasted.ts"
import type { Drafts } from "./use-drafts.ts"

interface PasteOfferOptions {
  drafts: Drafts
  /** Opens the import with a text. */
  onImport: (text: string) => void
}

/** What the fields need to make an offer. */
export interface PasteOffer {
  /** A name has one line, so the text is not pasted into it. */
  intoName: (event: ClipboardEvent) => void
  /** A value can have several lines, so the text is pasted, and stays unless something else is chosen. */
  intoValue: (event: ClipboardEvent, undo: () => void) => void
}

interface Offer extends Pasted {
  /** Takes the text out of the value again. Absent for a name, which never gets it. */
  undo?: () => void
}

/** Asks what to do with several lines that were pasted where one is expected: split them into rows, or import them. */
export function usePasteOffer({ drafts, onImport }: PasteOfferOptions) {
  const [offer, setOffer] = useState<Offer>()
  const [opened, setOpened] = useState(false)
  const [on] = useState<PasteOffer>(() => ({
    intoName(event) {
      const pasted = readPasted(event.clipboardData.getData("text"))
      if (pasted === undefined) return
      event.preventDefault()
      setOffer(pasted)
      setOpened(true)
    },
    intoValue(event, undo) {
      const text = event.clipboardData.getData("text")
      const pasted = looksLikeVariables(text) ? readPasted(text) : undefined
      if (pasted === undefined) return
      setOffer({ ...pasted, undo })
      setOpened(true)
    },
  }))

  const close = () => setOpened(false)
  const choose = (act: () => void) => () => {
    offer?.undo?.()
    close()
    act()
  }
  const count = offer?.variables.length ?? 0
  const dialog = (
    <Dialog
      opened={opened}
      onClose={close}
      title={`You pasted ${formatNumber(offer?.lineCount ?? 0)} lines`}
      size="lg"
      centered
      inFront
    >
      <Text size="sm" c="dimmed">
        {count > 0
          ? "Put each variable into a row of its own, or check them all in the import first."
          : "A name has one line. The import shows what is in this text, and which lines it cannot read."}
      </Text>
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={close} {...(offer?.undo && { "data-autofocus": true })}>
          {offer?.undo ? "Keep as one value" : "Cancel"}
        </Button>
        <Button
          variant={count > 0 ? "default" : "filled"}
          onClick={choose(() => onImport(offer?.text ?? ""))}
          {...(!offer?.undo && count === 0 && { "data-autofocus": true })}
        >
          Import…
        </Button>
        {count > 0 && (
          <Button
            onClick={choose(() => drafts.split(offer?.variables ?? []))}
            {...(!offer?.undo && { "data-autofocus": true })}
          >
            {`Split into ${counted(count, "row")}`}
          </Button>
        )}
      </Group>
    </Dialog>
  )
  return { on, dialog }
}
