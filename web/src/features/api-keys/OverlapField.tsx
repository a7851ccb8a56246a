import { NativeSelect, TextInput } from "@mantine/core"
import { useState } from "react"

const overlaps = [
  { value: "0", label: "stops at once" },
  { value: "60", label: "works for another hour" },
  { value: "1440", label: "works for another 24 hours" },
  { value: "10080", label: "works for another 7 days" },
  { value: "own", label: "works for so many hours" },
]

/** How long a key goes on beside the one that replaces it. */
export function useOverlap(initial: "0" | "1440") {
  const [choice, setChoice] = useState<string>(initial)
  const [hours, setHours] = useState("48")
  const minutes = choice === "own" ? Math.round(Number(hours) * 60) : Number(choice)
  return { choice, setChoice, hours, setHours, minutes }
}

interface OverlapFieldProps {
  label: string
  overlap: ReturnType<typeof useOverlap>
}

export function OverlapField({ label, overlap: { choice, setChoice, hours, setHours } }: OverlapFieldProps) {
  return (
    <>
      <NativeSelect
        label={label}
        data={overlaps}
        value={choice}
        onChange={({ currentTarget: { value } }) => setChoice(value)}
      />
      {choice === "own" && (
        <TextInput
          type="number"
          label="Hours"
          min={0}
          max={720}
          w={90}
          value={hours}
          onChange={({ currentTarget: { value } }) => setHours(value)}
        />
      )}
    </>
  )
}
