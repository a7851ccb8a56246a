import type { About } from "@envkeep/contract"
import { IconAlertTriangle, IconCornerLeftUp, IconLock } from "@tabler/icons-react"
import { blankWords } from "../../ui/blank-text.ts"
import { formatNumber } from "../../ui/counts.ts"
import { Icon } from "../../ui/Icon.tsx"
import { LongText } from "../../ui/LongText.tsx"
import { misfit } from "../names/problems.ts"
import type { Cell } from "./grid.ts"
import "./cell.css"

interface CellTextProps {
  cell: Cell
  about: About | undefined
  shown: boolean
  /** Shows all lines of a value, not only the first one. */
  isWhole?: boolean
}

/** The value of a cell, or why there is none. */
export function CellText({ cell: { state, value }, about, shown, isWhole = false }: CellTextProps) {
  if (state === "missing") {
    return about?.isRequired === true ? (
      <span className="cell__missing cell__missing--required">Missing, required</span>
    ) : (
      <span className="cell__missing">Missing</span>
    )
  }
  if (state === "hidden") {
    return (
      <span className="cell__absent">
        <Icon shape={IconLock} /> No access
      </span>
    )
  }
  if (state === "damaged") return <span className="cell__absent">Damaged: it cannot be read</span>
  if (state === "empty") return <span className="cell__absent">Empty</span>
  if (!shown && about?.isSecret !== false) {
    // The same number of dots for every value: its length is masked too.
    return (
      <span role="img" aria-label="Masked value" className="cell__value cell__value--masked">
        ••••••••
      </span>
    )
  }
  const text = value ?? ""
  return isWhole ? <LongText text={text} className="cell__value cell__value--whole" /> : <FirstLine value={text} />
}

/** More would not fit into a cell. */
const maxShownLength = 300

function FirstLine({ value }: { value: string }) {
  const blank = blankWords(value)
  if (blank !== undefined) return <span className="chip chip--cut">{blank}</span>
  const lines = value.split(/\r\n|\r|\n/)
  return (
    <>
      <span className="cell__value">{lines[0]?.slice(0, maxShownLength)}</span>
      {lines.length > 1 && <span className="chip cell__lines">{`${formatNumber(lines.length)} lines`}</span>}
    </>
  )
}

interface CellMarksProps {
  cell: Cell
  about: About | undefined
  /** The name of the environment that the value comes from, if that is another one. */
  from: string | undefined
  sameness: Sameness | undefined
}

/** How the value of a cell compares with the others of its row. */
export interface Sameness {
  /** Undefined if all values are the same. */
  letter: string | undefined
  words: string
  tint: number
}

/**
 * The signs beside a value. Each has words too, for screen readers and as a tooltip. Few elements, because a grid shows
 * hundreds of them.
 */
export function CellMarks({ cell, about, from, sameness }: CellMarksProps) {
  const why = misfit(about, cell.value)
  return (
    <>
      {why !== undefined && (
        <span role="img" aria-label={`, does not fit: ${why}`} className="cell__misfit" title={why}>
          <Icon shape={IconAlertTriangle} />
        </span>
      )}
      {from !== undefined && (
        <span
          role="img"
          aria-label={`, inherited from ${from}`}
          className="cell__from"
          title={`Inherited from ${from}`}
        >
          <Icon shape={IconCornerLeftUp} />
          <span>{from}</span>
        </span>
      )}
      {cell.overrides && (
        <span
          role="img"
          aria-label=", overrides the inherited value"
          className="cell__overrides"
          title="Overrides the inherited value"
        >
          own
        </span>
      )}
      {sameness !== undefined && (
        <span
          role="img"
          aria-label={`, ${sameness.words}`}
          className={sameness.letter === undefined ? "cell__same" : `cell__group cell__group--${sameness.tint}`}
          title={sameness.words}
        >
          {sameness.letter ?? "="}
        </span>
      )}
    </>
  )
}
