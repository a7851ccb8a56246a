import { Text, Title } from "@mantine/core"
import { IconBolt, IconBox, IconEqual, IconLock } from "@tabler/icons-react"
import type { ReactNode } from "react"
import { Icon } from "../../ui/Icon.tsx"

const reasons: { icon: ReactNode; title: string; text: string }[] = [
  {
    icon: <Icon shape={IconLock} />,
    title: "Encrypted at rest",
    text: "Every value is encrypted with ChaCha20-Poly1305 under its collection's own key. A copied database reveals names and email addresses, but no value without the root key.",
  },
  {
    icon: <Icon shape={IconEqual} />,
    title: "Exact to the byte",
    text: "Quotes, spaces, line breaks, certificates: what your program reads is what you put in.",
  },
  {
    icon: <Icon shape={IconBolt} />,
    title: "Revoked in a second",
    text: "A deleted key is refused at the next read, by other nodes within a second. Only a node that has lost its database serves it on, for five minutes by default.",
  },
  {
    icon: <Icon shape={IconBox} />,
    title: "Yours to run",
    text: "One process and one folder on your own machine. PostgreSQL when one machine is not enough.",
  },
]

export function Trust() {
  return (
    <section className="landing__section trust" aria-label="Why you can trust it">
      {reasons.map(({ icon, title, text }) => (
        <div key={title}>
          <span className="trust__icon">{icon}</span>
          <Title order={2} fz="1.0625rem" mt={14} mb={6}>
            {title}
          </Title>
          <Text c="dimmed" size="sm">
            {text}
          </Text>
        </div>
      ))}
    </section>
  )
}
