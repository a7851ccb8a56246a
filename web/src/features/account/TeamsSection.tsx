import { Button, Text, Title } from "@mantine/core"
import { IconUsersGroup } from "@tabler/icons-react"
import { Link } from "react-router"
import { Icon } from "../../ui/Icon.tsx"

export function TeamsSection() {
  return (
    <section className="card profile-section">
      <div>
        <Title order={2}>Teams</Title>
        <Text size="sm" c="dimmed" mt={4}>
          Groups of people that you share collections with.
        </Text>
      </div>
      <div>
        <Button component={Link} to="/user/teams" variant="default" leftSection={<Icon shape={IconUsersGroup} />}>
          Show your teams
        </Button>
      </div>
    </section>
  )
}
