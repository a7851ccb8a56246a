import { NativeSelect, Stack, Textarea, TextInput } from "@mantine/core"
import { useState } from "react"
import { dayMs } from "../../lib/durations.ts"
import { exactTime } from "../../lib/relative-time.ts"

interface Field {
  value: unknown
  onChange: (value: unknown) => void
  error: string | undefined
}

interface KeyOptionsProps {
  field: (name: "expiresAt" | "allowedAddresses" | "note") => Field
  /** When the key expires now, if it is being edited. */
  expiresAt?: string | null
}

/** When a key expires, from where it can be used, and a note. */
export function KeyOptions({ field, expiresAt = null }: KeyOptionsProps) {
  return (
    <Stack gap="sm">
      <Expiry field={field("expiresAt")} now={expiresAt} />
      <Addresses field={field("allowedAddresses")} />
      <TextInput
        label="Note"
        placeholder="What it is for, and who to ask"
        autoComplete="off"
        value={String(field("note").value ?? "")}
        onChange={field("note").onChange}
        error={field("note").error}
      />
    </Stack>
  )
}

const lifetimes = [
  { value: "never", label: "Never" },
  { value: "7", label: "In 7 days" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In 1 year" },
  { value: "date", label: "On a date" },
]

function Expiry({ field, now }: { field: Field; now: string | null }) {
  const [choice, setChoice] = useState(now === null ? "never" : "keep")
  const [day, setDay] = useState("")
  const kept = now === null ? [] : [{ value: "keep", label: exactTime(now) }]

  function choose(value: string) {
    setChoice(value)
    if (value === "keep") field.onChange(undefined)
    else if (value === "never") field.onChange(null)
    else if (value === "date") chooseDay(day)
    else field.onChange(new Date(Date.now() + Number(value) * dayMs).toISOString())
  }
  function chooseDay(value: string) {
    setDay(value)
    // It works through that day. Without a date, the server says what is missing.
    field.onChange(value === "" ? "" : new Date(`${value}T23:59:59`).toISOString())
  }
  return (
    <>
      <NativeSelect
        label="Expires"
        data={[...kept, ...lifetimes]}
        value={choice}
        onChange={({ currentTarget: { value } }) => choose(value)}
        error={choice === "date" ? undefined : field.error}
      />
      {choice === "date" && (
        <TextInput
          type="date"
          label="Last day"
          value={day}
          onChange={({ currentTarget: { value } }) => chooseDay(value)}
          error={field.error}
        />
      )}
    </>
  )
}

function Addresses({ field }: { field: Field }) {
  const [text, setText] = useState(((field.value ?? []) as string[]).join("\n"))
  return (
    <Textarea
      label="Allowed addresses"
      description="IP addresses and ranges, one on each line. Empty: the key works from everywhere."
      placeholder={"203.0.113.7\n10.0.0.0/8"}
      autosize
      minRows={2}
      maxRows={8}
      spellCheck={false}
      value={text}
      onChange={({ currentTarget: { value } }) => {
        setText(value)
        field.onChange(value.split(/[\s,]+/).filter((entry) => entry !== ""))
      }}
      error={field.error}
    />
  )
}
