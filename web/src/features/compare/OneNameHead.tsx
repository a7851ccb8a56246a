import { Button } from "@mantine/core"
import { IconChevronLeft, IconChevronRight, IconInfoCircle, IconList } from "@tabler/icons-react"
import { useState } from "react"
import { formatNumber } from "../../ui/counts.ts"
import { Dialog } from "../../ui/Dialog.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { IconButton } from "../../ui/IconButton.tsx"
import { LongList } from "../../ui/LongList.tsx"
import type { Row } from "./grid.ts"

interface OneNameHeadProps {
  rows: readonly Row[]
  row: Row
  index: number
  onChoose: (name: string | undefined) => void
  onAbout: (name: string) => void
}

/** The name, what is known about it, and the ways to the other names. */
export function OneNameHead({ rows, row, index, onChoose, onAbout }: OneNameHeadProps) {
  const { name, about } = row
  const [choosing, setChoosing] = useState(false)
  const go = (to: number) => onChoose(rows[to]?.name)
  return (
    <div className="one-name__head card">
      <div className="one-name__title">
        <h2 className="name-text breaks-anywhere">{name}</h2>
        <IconButton label={`About ${name}`} onClick={() => onAbout(name)}>
          <Icon shape={IconInfoCircle} />
        </IconButton>
      </div>
      {about?.description !== undefined && about.description !== "" && (
        <p className="one-name__about keeps-lines breaks-anywhere">{about.description}</p>
      )}
      <div className="one-name__steps">
        <IconButton label="Previous name" disabled={index === 0} onClick={() => go(index - 1)}>
          <Icon shape={IconChevronLeft} />
        </IconButton>
        <Button
          variant="default"
          size="xs"
          flex={1}
          leftSection={<Icon shape={IconList} />}
          aria-haspopup="dialog"
          onClick={() => setChoosing(true)}
        >
          {`${formatNumber(index + 1)} of ${formatNumber(rows.length)}`}
        </Button>
        <IconButton label="Next name" disabled={index === rows.length - 1} onClick={() => go(index + 1)}>
          <Icon shape={IconChevronRight} />
        </IconButton>
      </div>
      <Dialog opened={choosing} onClose={() => setChoosing(false)} title="Names" fillsPhone>
        <LongList
          label="Names"
          rows={[...rows]}
          keyOf={(one) => one.name}
          search={{ label: "Find a name", textOf: (one) => one.name }}
          render={(one) => (
            <button
              type="button"
              className="one-name__option name-text breaks-anywhere"
              aria-current={one === row}
              onClick={() => {
                onChoose(one.name)
                setChoosing(false)
              }}
            >
              {one.name}
            </button>
          )}
        />
      </Dialog>
    </div>
  )
}
