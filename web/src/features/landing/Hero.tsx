import { Button, Group, Text, Title } from "@mantine/core"
import { Link } from "react-router"
import { useUser } from "../../lib/state.ts"

export function Hero() {
  const user = useUser()
  return (
    <section className="hero">
      <div>
        <Text className="hero__eyebrow">A remote home for your .env files</Text>
        <Title order={1} className="hero__title">
          Environment variables, kept.
        </Title>
        <Text className="hero__lead">
          Envkeep keeps the variables of all your apps in one place, with their values encrypted, and gives each machine
          exactly the ones its API key may read. No more files in chat threads.
        </Text>
        <Group gap="sm" mt="xl">
          {user === null ? (
            <Button component={Link} to="/register" size="md">
              Get started
            </Button>
          ) : (
            <Button component={Link} to="/collection/dashboard" size="md">
              Open your dashboard
            </Button>
          )}
          <Button component="a" href="#guide" variant="default" size="md">
            Read the guide
          </Button>
        </Group>
      </div>
      <Picture />
    </section>
  )
}

const rows: [name: string, dots: number][] = [
  ["DATABASE_URL", 22],
  ["PAYMENT_API_KEY", 18],
  ["SESSION_SECRET", 25],
  ["SMTP_PASSWORD", 14],
]

/** An environment, and a program that reads it. */
function Picture() {
  return (
    <div className="picture" aria-hidden="true">
      <div className="picture__card card">
        <div className="picture__head">
          <span className="picture__dot" />
          <strong>production</strong>
          <span className="chip">4 items</span>
        </div>
        {rows.map(([name, dots]) => (
          <div key={name} className="picture__row">
            <span>{name}</span>
            <span className="picture__mask">{"•".repeat(dots)}</span>
          </div>
        ))}
      </div>
      <div className="picture__terminal">
        <div>
          <span className="picture__prompt">$</span> envkeep run -- node server.js
        </div>
        <div className="picture__answer">server listening on :8080</div>
      </div>
    </div>
  )
}
