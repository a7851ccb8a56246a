import { Button, Text, Title } from "@mantine/core"
import { contactUrl } from "../../lib/contact.ts"
import { Logo } from "../../ui/Logo.tsx"
import { Figures } from "./Figures.tsx"
import { Guide } from "./Guide.tsx"
import { Hero } from "./Hero.tsx"
import { Trust } from "./Trust.tsx"
import "./landing.css"

export function LandingScreen() {
  return (
    <div className="landing">
      <title>Envkeep · Environment variables, kept</title>
      <Hero />
      <Figures />
      <Trust />
      <Guide />
      <section className="landing__section contact card" aria-labelledby="contact-title">
        <div>
          <Title order={2} id="contact-title">
            Questions or feedback?
          </Title>
          <Text c="dimmed" mt={4}>
            Contact the people who run this server.
          </Text>
        </div>
        <Button component="a" href={contactUrl()} variant="default" size="md">
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
