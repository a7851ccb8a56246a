import { allows, type Environment, type Level } from "@envkeep/contract"
import {
  IconArrowBackUp,
  IconArrowLeft,
  IconArrowRight,
  IconCopy,
  IconCopyPlus,
  IconExternalLink,
  IconEye,
  IconEyeOff,
  IconHistory,
  IconInfoCircle,
  IconPencil,
  IconPlus,
  IconSquare,
  IconSquareCheck,
  IconTrash,
} from "@tabler/icons-react"
import { copy } from "../../lib/clipboard.ts"
import type { MenuEntry } from "./GridMenu.tsx"
import type { Cell, Row } from "./grid.ts"
import type { ColumnChoice } from "./use-column-choice.ts"
import type { RevealedCells } from "./use-revealed-cells.ts"

/** What the screen does for its cells. */
export interface CompareActions {
  revealed: RevealedCells
  remove: (cell: Cell, environment: Environment) => void
  showAbout: (name: string) => void
  showHistory: (environment: Environment, name: string) => void
  /** Opens the dialog that copies values. Without names, all are proposed there. Undefined if the user may change none. */
  copyTo: ((names: string[] | undefined, from?: Environment) => void) | undefined
  openEnvironment: (environment: Environment) => void
}

export function canEdit(role: Level, environment: Environment): boolean {
  return !environment.valuesHidden && allows(role, "editor", environment)
}

interface CellContext {
  row: Row
  environment: Environment
  cell: Cell
  role: Level
  actions: CompareActions
  onEdit: () => void
}

export function cellEntries({ row, environment, cell, role, actions, onEdit }: CellContext): MenuEntry[] {
  const { name, about } = row
  const { value, item } = cell
  const isShown = actions.revealed.isShown(name, environment.id)
  const mayEdit = canEdit(role, environment)
  return [
    ...(mayEdit ? [editEntry(cell, onEdit)] : []),
    ...(value !== null && value !== "" && about?.isSecret !== false
      ? [
          {
            label: isShown ? "Hide value" : "Show value",
            icon: isShown ? IconEyeOff : IconEye,
            act: () => actions.revealed.toggleCell(name, environment.id),
          },
        ]
      : []),
    ...(value !== null ? [{ label: "Copy value", icon: IconCopy, act: () => void copy(value) }] : []),
    { label: "History", icon: IconHistory, act: () => actions.showHistory(environment, name) },
    ...(mayEdit && item !== undefined
      ? [
          cell.overrides
            ? {
                label: "Use the inherited value",
                icon: IconArrowBackUp,
                act: () => actions.remove(cell, environment),
              }
            : { label: "Delete", icon: IconTrash, isDanger: true, act: () => actions.remove(cell, environment) },
        ]
      : []),
  ]
}

function editEntry({ state, inheritedFrom }: Cell, onEdit: () => void): MenuEntry {
  if (state === "missing") return { label: "Add", icon: IconPlus, act: onEdit }
  return { label: inheritedFrom === undefined ? "Edit" : "Override", icon: IconPencil, act: onEdit }
}

interface NameContext {
  row: Row
  isSelected: boolean
  actions: CompareActions
  onSelect: () => void
}

export function nameEntries({ row: { name }, isSelected, actions, onSelect }: NameContext): MenuEntry[] {
  const isShown = actions.revealed.isRowShown(name)
  const { copyTo } = actions
  return [
    { label: "About", icon: IconInfoCircle, act: () => actions.showAbout(name) },
    {
      label: isShown ? "Hide values" : "Show values",
      icon: isShown ? IconEyeOff : IconEye,
      act: () => actions.revealed.toggleRow(name),
    },
    { label: "Copy name", icon: IconCopy, act: () => void copy(name) },
    ...(copyTo ? [{ label: "Copy to…", icon: IconCopyPlus, act: () => copyTo([name]) }] : []),
    { label: isSelected ? "Unselect" : "Select", icon: isSelected ? IconSquareCheck : IconSquare, act: onSelect },
  ]
}

interface HeadContext {
  environment: Environment
  choice: ColumnChoice
  actions: CompareActions
}

export function headEntries({ environment, choice, actions }: HeadContext): MenuEntry[] {
  const { ordered, shown, move, toggle } = choice
  const { copyTo } = actions
  return [
    ...(ordered[0] === environment
      ? []
      : [{ label: "Move left", icon: IconArrowLeft, act: () => move(environment, "left") }]),
    ...(ordered.at(-1) === environment
      ? []
      : [{ label: "Move right", icon: IconArrowRight, act: () => move(environment, "right") }]),
    ...(shown.length > 1 ? [{ label: "Hide column", icon: IconEyeOff, act: () => toggle(environment) }] : []),
    ...(copyTo && !environment.valuesHidden
      ? [{ label: "Copy to…", icon: IconCopyPlus, act: () => copyTo(undefined, environment) }]
      : []),
    { label: "Open in the list", icon: IconExternalLink, act: () => actions.openEnvironment(environment) },
  ]
}
