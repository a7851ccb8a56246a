import { Button, Group, Text, Title } from "@mantine/core"
import { Link } from "react-router"
import dark from "./environment-dark.png"
import light from "./environment-light.png"

export function Hero({ start }: { start: { to: string; label: string } }) {
  return (
    <section className="hero">
      <div className="hero__words">
        <Text c="var(--accent-text)" fz="0.9375rem" fw={600}>
          A remote home for your .env files
        </Text>
        <Title order={1} className="hero__title">
          Environment variables, kept.
        </Title>
        <Text c="dimmed" size="lg" mt={20} maw={620}>
          Envkeep keeps the variables of all your apps in one place, with their values encrypted, and gives each machine
          exactly the ones its API key may read. No more files in chat threads.
        </Text>
        <Group gap="sm" mt="xl">
          <Button component={Link} to={start.to} size="md">
            {start.label}
          </Button>
          <Button component="a" href="#guide" variant="default" size="md">
            Read the guide
          </Button>
        </Group>
      </div>
      <Picture />
    </section>
  )
}

/** `npm run screenshots` takes them. */
const pictures = { light, dark }

/** A collection on the screen, and a program that reads one of its environments. */
function Picture() {
  return (
    <div className="picture">
      {(["light", "dark"] as const).map((scheme) => (
        <img
          key={scheme}
          className={`picture__screen picture__screen--${scheme}`}
          src={pictures[scheme]}
          width={1280}
          height={800}
          // The browser fetches only the one that the style sheet shows.
          loading="lazy"
          decoding="async"
          alt="A collection with three environments. Production is open and lists its variables, with their values hidden."
        />
      ))}
      <div className="picture__terminal" aria-hidden="true">
        <div>
          <span className="picture__prompt">$</span> envkeep run -- node server.js
        </div>
        <div className="picture__answer">server listening on :8080</div>
      </div>
    </div>
  )
}
