import { Modal } from "@mantine/core"
import type { ReactNode } from "react"
import { closing } from "./shortcut.ts"
import { useTopDialog } from "./top-dialog.ts"
import { useIsPhone } from "./use-max-width.ts"
import { useReturnFocus } from "./use-return-focus.ts"

interface DialogProps {
  opened: boolean
  title: string
  size?: "sm" | "lg" | "xl"
  /** In the middle of the screen, for a short question. Longer dialogs start at the top. */
  centered?: boolean
  /** Whether a click outside closes it. */
  closesOutside?: boolean
  /** Another dialog is in front of this one. Escape and clicks outside are meant for that one. */
  covered?: boolean
  inFront?: boolean
  /** In front of all others, wherever they were opened. */
  onTop?: boolean
  /** Fills a small screen, for long text. */
  fillsPhone?: boolean
  onClose: () => void
  children: ReactNode
}

export function Dialog({ opened, title, children, onClose, ...options }: DialogProps) {
  const { size = "sm", centered = false, closesOutside = true, inFront = false, onTop = false } = options
  const isTopOpen = useTopDialog(onTop && opened)
  const covered = options.covered === true || (isTopOpen && !onTop)
  const isPhone = useIsPhone()
  useReturnFocus(opened)
  return (
    <Modal.Root
      opened={opened}
      onClose={onClose}
      size={size}
      centered={centered}
      fullScreen={isPhone && options.fillsPhone === true}
      // Below the navigation bar, where the notifications are.
      yOffset={isPhone ? "5dvh" : 88}
      zIndex={onTop ? 400 : inFront ? 300 : 200}
      closeOnClickOutside={closesOutside && !covered}
      closeOnEscape={!covered}
      returnFocus={false}
      classNames={{ content: "dialog" }}
      transitionProps={{ duration: 120 }}
    >
      <Modal.Overlay backgroundOpacity={0.5} blur={2} />
      <Modal.Content radius="lg" {...closing(opened)}>
        <div className="dialog__head">
          <Modal.Title>{title}</Modal.Title>
          <Modal.CloseButton aria-label="Close" />
        </div>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}
