import type { About } from "@envkeep/contract"
import { NativeSelect } from "@mantine/core"
import { IconEdit, IconInfoCircle, IconTrash } from "@tabler/icons-react"
import { memo, useRef, useState } from "react"
import { Icon } from "../../ui/Icon.tsx"
import { IconButton } from "../../ui/IconButton.tsx"
import { InPlaceText } from "./InPlaceText.tsx"
import { asKind, kindOptions, kindWords } from "./kind-words.ts"
import { isMissing, type ListedName } from "./listed-names.ts"
import { useDescribe, useRemoveDescription } from "./queries.ts"

/** Which name the dialog is about, and the kind that was chosen for it. */
export interface Editing {
  name: string
  kind?: About["kind"]
}

interface NameRowProps {
  collectionId: number
  listed: ListedName
  canEdit: boolean
  onEdit: (editing: Editing) => void
}

type Change = Partial<Omit<About, "name">>

/** A name and what is known about it. Each field is saved by itself. Memoized: there may be thousands. */
export const NameRow = memo(function NameRow({ collectionId, listed, canEdit, onEdit }: NameRowProps) {
  const { about, isDescribed } = listed
  const { name, description, isRequired, isSecret, kind, choices, example } = about
  const describe = useDescribe(collectionId)
  const remove = useRemoveDescription(collectionId)
  /** What was chosen, until it is saved. */
  const [pending, setPending] = useState<Change>({})
  const editButton = useRef<HTMLButtonElement>(null)
  const now = { isRequired, isSecret, kind, ...pending }

  async function save(change: Change): Promise<string | undefined> {
    let refusal: string | undefined
    await describe({ id: collectionId, name, ...change }, (sentence) => {
      refusal = sentence
    })
    return refusal
  }
  async function choose(change: Change) {
    setPending(change)
    await save(change)
    setPending({})
  }
  function chooseKind(next: About["kind"]) {
    // The list has to be typed first.
    if (next === "choice") onEdit({ name, kind: next })
    else void choose({ kind: next })
  }
  function removeDescription() {
    // The button is about to be removed.
    editButton.current?.focus()
    void remove(name)
  }
  if (!canEdit) return <ReadOnlyRow listed={listed} onEdit={onEdit} />
  return (
    <div className="name-row">
      <Heading listed={listed} />
      <InPlaceText
        label={`Description of ${name}`}
        placeholder="Add a description"
        value={description}
        multiline
        onSave={(text) => save({ description: text })}
      />
      <label className="name-row__check">
        <input
          type="checkbox"
          aria-label={`${name} is required`}
          checked={now.isRequired}
          onChange={(event) => choose({ isRequired: event.currentTarget.checked })}
        />
        <span className="name-row__label">Required</span>
      </label>
      <label className="name-row__check">
        <input
          type="checkbox"
          aria-label={`${name} is secret`}
          checked={now.isSecret}
          onChange={(event) => choose({ isSecret: event.currentTarget.checked })}
        />
        <span className="name-row__label">Secret</span>
      </label>
      <div className="name-row__kind">
        <NativeSelect
          aria-label={`Kind of ${name}`}
          data={kindOptions}
          value={now.kind}
          onChange={({ currentTarget }) => chooseKind(asKind(currentTarget.value))}
        />
        {kind === "choice" && (
          <button type="button" className="name-row__choices" title="Edit the choices" onClick={() => onEdit({ name })}>
            {choices.join(", ")}
          </button>
        )}
      </div>
      <InPlaceText
        label={`Example of ${name}`}
        placeholder="Example"
        value={example}
        isCode
        onSave={(text) => save({ example: text })}
      />
      <div className="name-row__actions">
        <IconButton ref={editButton} label={`Edit all of ${name}`} onClick={() => onEdit({ name })}>
          <Icon shape={IconEdit} />
        </IconButton>
        {isDescribed && (
          <IconButton label={`Remove the description of ${name}`} className="danger-button" onClick={removeDescription}>
            <Icon shape={IconTrash} />
          </IconButton>
        )}
      </div>
    </div>
  )
})

function ReadOnlyRow({ listed, onEdit }: Pick<NameRowProps, "listed" | "onEdit">) {
  const { about, isDescribed } = listed
  const { name, description, isRequired, isSecret, kind, example } = about
  return (
    <div className="name-row name-row--read">
      <Heading listed={listed} />
      <span className="keeps-lines breaks-anywhere">{description}</span>
      <span>{isRequired && "Required"}</span>
      <span>{isDescribed && (isSecret ? "Secret" : "Plain")}</span>
      <span>{isDescribed && kindWords[kind].label}</span>
      <span className="name-text breaks-anywhere">{example}</span>
      <div className="name-row__actions">
        <IconButton label={`About ${name}`} onClick={() => onEdit({ name })}>
          <Icon shape={IconInfoCircle} />
        </IconButton>
      </div>
    </div>
  )
}

/** The name, and where it is or should be. */
function Heading({ listed }: { listed: ListedName }) {
  const { about, usedIn, missingIn } = listed
  return (
    <div className="name-row__name">
      <span className="name-text breaks-anywhere">{about.name}</span>
      {isMissing(listed) ? (
        <span className="name-row__missing">{`Missing in ${inWords(missingIn)}`}</span>
      ) : (
        <span className="name-row__used" title={usedIn.join(", ")}>
          {usedIn.length === 0 ? "In no environment" : usedWords(usedIn.length, usedIn.length + missingIn.length)}
        </span>
      )}
    </div>
  )
}

function usedWords(count: number, total: number): string {
  if (count < total) return `In ${count} of ${total} environments`
  return total === 1 ? "In 1 environment" : "In all environments"
}

const namedEnvironments = 3

function inWords(names: readonly string[]): string {
  const more = names.length - namedEnvironments
  return names.slice(0, namedEnvironments).join(", ") + (more > 0 ? ` and ${more} more` : "")
}
