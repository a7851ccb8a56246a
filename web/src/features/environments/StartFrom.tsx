import type { Environment, environments, InputOf } from "@envkeep/contract"
import { NativeSelect, Text } from "@mantine/core"

/** What a new environment begins with. Undefined: nothing. */
export type Start = InputOf<typeof environments.create>["from"]
type What = NonNullable<Start>["what"]

const whats: { value: What; label: string }[] = [
  { value: "values", label: "All values" },
  { value: "names", label: "Names only" },
  { value: "inherit", label: "Inherit from it" },
]

interface StartFromProps {
  existing: Environment[]
  start: Start
  onStart: (start: Start) => void
}

export function StartFrom({ existing, start, onStart }: StartFromProps) {
  const source = existing.find(({ id }) => id === start?.environmentId)
  return (
    <>
      <NativeSelect
        label="Start from"
        className="create-environment__start"
        value={source?.id ?? ""}
        data={[{ value: "", label: "Empty" }, ...existing.map(({ id, name }) => ({ value: String(id), label: name }))]}
        onChange={({ currentTarget }) => {
          const environmentId = Number(currentTarget.value)
          onStart(environmentId === 0 ? undefined : { environmentId, what: start?.what ?? "values" })
        }}
      />
      {source !== undefined && start !== undefined && (
        <NativeSelect
          label="Take"
          className="create-environment__start"
          value={start.what}
          data={whats}
          onChange={({ currentTarget }) => {
            const what = whats.find(({ value }) => value === currentTarget.value)?.value ?? "values"
            onStart({ environmentId: source.id, what })
          }}
        />
      )}
      {source !== undefined && start !== undefined && (
        <Text size="sm" c="dimmed" className="create-environment__note" role="status">
          {explained(start.what, source)}
        </Text>
      )}
    </>
  )
}

function explained(what: What, { name, isProtected }: Environment): string {
  if (what === "names") return `It gets the names of ${name}, with empty values.`
  const isToo = isProtected ? ` It is protected, as ${name} is.` : ""
  if (what === "inherit")
    return `What it does not set itself comes from ${name}, also after later changes there.${isToo}`
  return `It gets a copy of everything in ${name}. API keys are not copied.${isToo}`
}
