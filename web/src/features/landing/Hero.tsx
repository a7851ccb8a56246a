import { Button, Group, Text, Title, useComputedColorScheme } from "@mantine/core"
import { Link } from "react-router"
import { canRegister } from "../../lib/registration.ts"
import { useUser } from "../../lib/state.ts"
import dark from "./environment-dark.png"
import light from "./environment-light.png"

export function Hero() {
  const user = useUser()
  return (
    <section className="hero">
      <div className="hero__words">
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
            <Button component={Link} to={canRegister() ? "/register" : "/login"} size="md">
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

/** `npm run screenshots` takes them. */
const pictures = { light, dark }

/** A collection on the screen, and a program that reads one of its environments. */
function Picture() {
  const scheme = useComputedColorScheme("light", { getInitialValueInEffect: false })
  return (
    <div className="picture">
      <img
        className="picture__screen"
        src={pictures[scheme]}
        width={1280}
        height={800}
        decoding="async"
        alt="A collection with three environments. Production is open and lists its variables, with their values hidden."
      />
      <div className="picture__terminal" aria-hidden="true">
        <div>
          <span className="picture__prompt">$</span> envkeep run -- node server.js
        </div>
        <div className="picture__answer">server listening on :8080</div>
      </div>
    </div>
  )
}
