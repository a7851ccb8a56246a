import { Modal, VisuallyHidden } from "@mantine/core"
import { closing } from "../../ui/shortcut.ts"
import { useIsPhone } from "../../ui/use-max-width.ts"
import { useReturnFocus } from "../../ui/use-return-focus.ts"
import { Finder } from "./Finder.tsx"
import "./find.css"

/** Finds collections, environments, variables and actions by name, and opens what is chosen. */
export function FindDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const isPhone = useIsPhone()
  useReturnFocus(opened)
  return (
    <Modal.Root
      opened={opened}
      onClose={onClose}
      size={640}
      fullScreen={isPhone}
      yOffset={isPhone ? 0 : 88}
      returnFocus={false}
      classNames={{ content: "dialog find" }}
      transitionProps={{ duration: 0 }}
    >
      <Modal.Overlay backgroundOpacity={0.5} blur={2} />
      <Modal.Content radius="lg" {...closing(opened)}>
        <VisuallyHidden>
          <Modal.Title>Find</Modal.Title>
        </VisuallyHidden>
        <Finder onClose={onClose} />
      </Modal.Content>
    </Modal.Root>
  )
}
