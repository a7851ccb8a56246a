import { Button, Text, Title } from "@mantine/core"
import { Link } from "react-router"
import { PageTitle } from "../ui/PageTitle.tsx"

export function NotFoundScreen() {
  return (
    <div className="page page--notice">
      <PageTitle>404</PageTitle>
      <Title order={1} fz="clamp(4.5rem, 18vw, 8rem)" lh={1} lts="-0.05em" c="var(--accent-text)">
        404
      </Title>
      <Text size="lg" fw={600}>
        There is nothing at this address
      </Text>
      <Text c="dimmed">The link may be outdated or mistyped.</Text>
      <Button component={Link} to="/" mt="md">
        Go to the home page
      </Button>
    </div>
  )
}
