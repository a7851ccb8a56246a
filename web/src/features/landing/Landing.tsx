import { Button, Text, Title } from "@mantine/core"
import { Logo } from "../../ui/Logo.tsx"
import { Figures } from "./Figures.tsx"
import { Guide } from "./Guide.tsx"
import { Hero } from "./Hero.tsx"
import { Trust } from "./Trust.tsx"
import "./landing.css"

export const landingTitle = "Envkeep · Environment variables, kept"

/** What the page shows that is not the same everywhere. */
export interface LandingFacts {
  /** The address of this server. */
  origin: string
  /** The integrity of the client package that this server hands out. */
  clientIntegrity: string
  contactUrl: string
  /** The first button. */
  start: { to: string; label: string }
}

/** The first button for a guest. */
export function guestStart(canRegister: boolean): LandingFacts["start"] {
  return { to: canRegister ? "/register" : "/login", label: "Get started" }
}

interface LandingProps {
  facts: LandingFacts
  onCopy?: ((code: string) => void) | undefined
}

/** The landing page below the bar. The build renders it into the first page, the app where a visitor comes back to it. */
export function Landing({ facts, onCopy }: LandingProps) {
  return (
    <div className="landing">
      <Hero start={facts.start} />
      <Figures />
      <Trust />
      <Guide origin={facts.origin} clientIntegrity={facts.clientIntegrity} onCopy={onCopy} />
      <section className="landing__section contact card" aria-labelledby="contact-title">
        <div>
          <Title order={2} id="contact-title">
            Questions or feedback?
          </Title>
          <Text c="dimmed" mt={4}>
            Contact the people who run this server.
          </Text>
        </div>
        <Button component="a" href={facts.contactUrl} variant="default" size="md">
          Contact
        </Button>
      </section>
      <footer className="landing__footer">
        <Logo size={20} />
        <Text size="sm" c="dimmed">
          Envkeep, free software under the MIT license
        </Text>
      </footer>
    </div>
  )
}
