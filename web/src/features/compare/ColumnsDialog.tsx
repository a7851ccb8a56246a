import { Button, Group, Text } from "@mantine/core"
import { IconArrowDown, IconArrowUp, IconLock } from "@tabler/icons-react"
import { useEffect, useRef, useState } from "react"
import { Dialog } from "../../ui/Dialog.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { IconButton } from "../../ui/IconButton.tsx"
import type { ColumnChoice } from "./use-column-choice.ts"
import "./column-list.css"

interface ColumnsDialogProps {
  choice: ColumnChoice
  opened: boolean
  onClose: () => void
}

/** Chooses the columns and their order. It takes effect at once. */
export function ColumnsDialog({ choice, opened, onClose }: ColumnsDialogProps) {
  const [moved, setMoved] = useState("")
  const { ordered, shown, isShown, isChosen } = choice
  const list = useRef<HTMLUListElement>(null)
  const lastMove = useRef<{ id: number; side: "left" | "right" }>(undefined)
  // At the first and last place one of the two buttons is disabled and would lose the focus: the other one takes it.
  useEffect(() => {
    const { id, side } = lastMove.current ?? {}
    if (id === undefined) return
    lastMove.current = undefined
    const buttons = list.current?.querySelectorAll<HTMLButtonElement>(`[data-id="${id}"] button`) ?? []
    const [up, down] = buttons
    const wanted = side === "left" ? up : down
    const focused = wanted?.disabled === true ? [up, down].find((button) => button?.disabled === false) : wanted
    focused?.focus()
  })

  return (
    <Dialog opened={opened} onClose={onClose} title="Columns" size="sm" fillsPhone>
      <Text size="sm" c="dimmed" mb="sm">
        The environments to compare, from left to right. This is remembered in this browser.
      </Text>
      <ul ref={list} className="column-list lined">
        {ordered.map((environment, at) => {
          const { id, name, isProtected } = environment
          const move = (side: "left" | "right") => {
            lastMove.current = { id, side }
            choice.move(environment, side)
            setMoved(`${name} is now at place ${side === "left" ? at : at + 2} of ${ordered.length}`)
          }
          return (
            <li key={id} data-id={id}>
              <label>
                <input
                  type="checkbox"
                  checked={isShown(environment)}
                  // One column is always shown.
                  disabled={shown.length === 1 && isShown(environment)}
                  onChange={() => choice.toggle(environment)}
                />
                <span className="breaks-anywhere">{name}</span>
                {isProtected && <Icon shape={IconLock} />}
              </label>
              <IconButton label={`Move ${name} to the left`} disabled={at === 0} onClick={() => move("left")}>
                <Icon shape={IconArrowUp} />
              </IconButton>
              <IconButton
                label={`Move ${name} to the right`}
                disabled={at === ordered.length - 1}
                onClick={() => move("right")}
              >
                <Icon shape={IconArrowDown} />
              </IconButton>
            </li>
          )
        })}
      </ul>
      <p className="column-list__said" role="status">
        {moved}
      </p>
      <Group justify="space-between" mt="lg">
        <Button variant="subtle" color="gray" disabled={!isChosen} onClick={choice.reset}>
          Reset
        </Button>
        <Button onClick={onClose} data-autofocus>
          Done
        </Button>
      </Group>
    </Dialog>
  )
}
