import { NativeSelect, Text, Title } from "@mantine/core"
import { maskAfterMinutes, useMaskAfterMinutes } from "../../lib/mask-after.ts"
import { counted } from "../../ui/counts.ts"

const choices = maskAfterMinutes.map((minutes) => ({
  value: String(minutes),
  label: counted(minutes, "minute"),
}))

export function ValuesSection() {
  const [minutes, setMinutes] = useMaskAfterMinutes()
  return (
    <section className="card profile-section">
      <div>
        <Title order={2}>Values on screen</Title>
        <Text size="sm" c="dimmed" mt={4}>
          Values that you show are hidden again when you stop using the page. This setting is for this browser only.
        </Text>
      </div>
      <NativeSelect
        label="Hide values without use after"
        data={choices}
        value={String(minutes)}
        onChange={(event) => {
          const chosen = maskAfterMinutes.find((one) => String(one) === event.currentTarget.value)
          if (chosen !== undefined) setMinutes(chosen)
        }}
      />
    </section>
  )
}
