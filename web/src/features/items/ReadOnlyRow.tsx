import type { About, Item } from "@envkeep/contract"
import { Button, VisuallyHidden } from "@mantine/core"
import { IconCopy, IconEye, IconEyeOff, IconHistory, IconInfoCircle } from "@tabler/icons-react"
import { memo } from "react"
import { copy } from "../../lib/clipboard.ts"
import { useLiveChange } from "../../lib/live-changes.ts"
import { Icon } from "../../ui/Icon.tsx"
import { IconButton } from "../../ui/IconButton.tsx"
import { LongText } from "../../ui/LongText.tsx"
import { useFocusWhen } from "../../ui/use-focus-when.ts"
import { misfit } from "../names/problems.ts"
import { BaseLink } from "./BaseLink.tsx"

interface ReadOnlyRowProps {
  item: Item
  collectionId: number
  valuesHidden: boolean
  shown: boolean
  /** Undefined if the name is not described. */
  about: About | undefined
  /** The name of the environment that it is inherited from. */
  inheritedFrom?: string | undefined
  /** The name of the environment whose value it overrides. */
  overrides?: string | undefined
  /** Whether the Override button takes the focus now. */
  focused?: boolean
  onFocused?: () => void
  onToggle: (id: number) => void
  onAbout: (item: Item) => void
  onHistory: (item: Item) => void
  /** Undefined if the item is not inherited, or if the user's role does not allow it. */
  onOverride?: (item: Item) => void
}

/** An item that cannot be edited here: because of the user's role, or because it is inherited. */
export const ReadOnlyRow = memo(function ReadOnlyRow({
  item,
  collectionId,
  valuesHidden,
  shown: isUnmasked,
  about,
  inheritedFrom,
  overrides,
  focused = false,
  ...on
}: ReadOnlyRowProps) {
  const { id, name, value, subCollectionId } = item
  const isFresh = useLiveChange(subCollectionId)?.itemIds.has(id) === true
  const overrideButton = useFocusWhen<HTMLButtonElement>(focused, () => on.onFocused?.())
  const isPlain = about?.isSecret === false
  const shown = isUnmasked || isPlain
  const hint = misfit(about, value)
  const { onOverride } = on
  const classes = [
    "item-row",
    valuesHidden && "item-row--name",
    !valuesHidden && onOverride === undefined && "item-row--read",
    isFresh && "item-row--fresh",
  ]
  const aboutButton = (
    <IconButton label="About" {...(about && { className: "item-row__described" })} onClick={() => on.onAbout(item)}>
      <Icon shape={IconInfoCircle} />
    </IconButton>
  )
  return (
    <div className={classes.filter(Boolean).join(" ")}>
      <span className="item-row__text item-row__name">
        <span className="name-text">{name}</span>
        {inheritedFrom !== undefined && (
          <span className="item-row__origin">
            from <BaseLink collectionId={collectionId} item={item} environmentName={inheritedFrom} />
          </span>
        )}
        {overrides !== undefined && <span className="item-row__origin">{`overrides ${overrides}`}</span>}
      </span>
      {!valuesHidden && (
        <>
          <ReadOnlyValue value={value} shown={shown} />
          <div className="item-row__value-actions">
            {!isPlain && (
              <IconButton label={shown ? "Hide value" : "Show value"} onClick={() => on.onToggle(id)}>
                {shown ? <Icon shape={IconEyeOff} /> : <Icon shape={IconEye} />}
              </IconButton>
            )}
            <IconButton label="Copy value" disabled={value === null} onClick={() => copy(value ?? "")}>
              <Icon shape={IconCopy} />
            </IconButton>
            {onOverride !== undefined && aboutButton}
          </div>
        </>
      )}
      <div className="item-row__actions">
        {onOverride === undefined ? (
          aboutButton
        ) : (
          <Button ref={overrideButton} variant="subtle" px="xs" onClick={() => onOverride(item)}>
            Override
          </Button>
        )}
        <IconButton label="History" onClick={() => on.onHistory(item)}>
          <Icon shape={IconHistory} />
        </IconButton>
      </div>
      {hint !== undefined && <p className="item-row__hint">{hint}</p>}
    </div>
  )
})

function ReadOnlyValue({ value, shown }: { value: string | null; shown: boolean }) {
  if (value === null) return <span className="item-row__text item-row__absent">Damaged: it cannot be read</span>
  if (value === "") return <span className="item-row__text item-row__absent">Empty</span>
  if (!shown) {
    // The same number of dots for every value: its length is masked too.
    return (
      <span className="value-text item-row__text">
        <span className="item-row__dots" aria-hidden="true">
          ••••••••
        </span>
        <VisuallyHidden>Masked value</VisuallyHidden>
      </span>
    )
  }
  return (
    <div className="value-text item-row__text item-row__text--shown">
      <LongText text={value} className="item-row__code" />
    </div>
  )
}
