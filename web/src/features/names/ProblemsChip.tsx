import type { Environment } from "@envkeep/contract"
import { Button, Group, Text } from "@mantine/core"
import { IconAlertTriangle, IconPlus } from "@tabler/icons-react"
import { useMemo, useState } from "react"
import { useLocation, useNavigate } from "react-router"
import { environmentAddress } from "../../lib/arrival.ts"
import { effectiveItems, type Inheritance } from "../../lib/inheritance.ts"
import { counted, formatNumber } from "../../ui/counts.ts"
import { Dialog } from "../../ui/Dialog.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { LongList } from "../../ui/LongList.tsx"
import { type Problems, problemsOf } from "./problems.ts"
import { useAbouts } from "./queries.ts"
import "./names.css"

interface ProblemsChipProps {
  environment: Environment
  inheritance: Inheritance
  /** Starts a new item for each of these names. Absent if the user may not add any. */
  onAdd?: (names: string[]) => void
}

/** How many required names an environment lacks, and how many values do not fit. It opens the list of them. */
export function ProblemsChip({ environment, inheritance, onAdd }: ProblemsChipProps) {
  const abouts = useAbouts(environment.collectionId)
  const problems = useMemo(
    () => problemsOf(effectiveItems(environment, inheritance), abouts),
    [environment, inheritance, abouts],
  )
  const [opened, setOpened] = useState(false)
  const navigate = useNavigate()
  const location = useLocation()
  const words = inWords(problems)
  const close = () => setOpened(false)
  if (words === "" && !opened) return null

  function show(item: string) {
    close()
    const { id: environmentId, collectionId } = environment
    navigate(environmentAddress({ collectionId, environmentId }, { item }, location))
  }
  function add(names: string[]) {
    close()
    onAdd?.(names)
  }
  return (
    <>
      <button
        type="button"
        className="chip chip--problems"
        aria-haspopup="dialog"
        title="Show what is missing or does not fit"
        onClick={() => setOpened(true)}
      >
        <Icon shape={IconAlertTriangle} />
        <span className="chip__words">{words === "" ? "No problems" : words}</span>
        <span className="chip__count" aria-hidden="true">
          {problems.missing.length + problems.misfits.length}
        </span>
      </button>
      <Dialog opened={opened} onClose={close} title={`Check of ${environment.name}`} size="lg" fillsPhone>
        <ProblemList problems={problems} onShow={show} {...(onAdd && { onAdd: add })} />
        <Group justify="flex-end" mt="lg">
          <Button variant="default" onClick={close} data-autofocus>
            Close
          </Button>
        </Group>
      </Dialog>
    </>
  )
}

function inWords({ missing, misfits }: Problems): string {
  return [
    ...(missing.length > 0 ? [`${formatNumber(missing.length)} missing`] : []),
    ...(misfits.length > 0 ? [`${counted(misfits.length, "does", "do")} not fit`] : []),
  ].join(", ")
}

interface ProblemListProps {
  problems: Problems
  /** Goes to the item with this name. */
  onShow: (name: string) => void
  onAdd?: (names: string[]) => void
}

function ProblemList({ problems, onShow, onAdd }: ProblemListProps) {
  const { missing, misfits } = problems
  return (
    <>
      {missing.length === 0 && misfits.length === 0 && (
        <Text size="sm">Everything is there, and every value fits.</Text>
      )}
      {missing.length > 0 && (
        <section className="problems">
          <Group justify="space-between" gap="xs">
            <h3>Required, but missing</h3>
            {onAdd && missing.length > 1 && (
              <Button variant="default" size="xs" onClick={() => onAdd(missing.map(({ name }) => name))}>
                Add all
              </Button>
            )}
          </Group>
          <LongList
            label="Missing"
            rows={missing}
            keyOf={({ name }) => name}
            render={({ name, description }) => (
              <div className="problem">
                <div className="problem__what">
                  <code>{name}</code>
                  {description !== "" && <span className="problem__why keeps-lines">{description}</span>}
                </div>
                {onAdd && (
                  <Button
                    variant="subtle"
                    size="xs"
                    aria-label={`Add ${name}`}
                    leftSection={<Icon shape={IconPlus} />}
                    onClick={() => onAdd([name])}
                  >
                    Add
                  </Button>
                )}
              </div>
            )}
          />
        </section>
      )}
      {misfits.length > 0 && (
        <section className="problems">
          <h3>Values that do not fit</h3>
          <LongList
            label="Values that do not fit"
            rows={misfits}
            keyOf={({ name }) => name}
            render={({ name, why }) => (
              <div className="problem">
                <div className="problem__what">
                  <code>{name}</code>
                  <span className="problem__why">{why}</span>
                </div>
                <Button variant="subtle" size="xs" aria-label={`Show ${name}`} onClick={() => onShow(name)}>
                  Show
                </Button>
              </div>
            )}
          />
        </section>
      )}
    </>
  )
}
