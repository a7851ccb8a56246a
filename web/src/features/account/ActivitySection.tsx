import { Button, Text, Title } from "@mantine/core"
import { IconHistory } from "@tabler/icons-react"
import { Link } from "react-router"
import { Icon } from "../../ui/Icon.tsx"

export function ActivitySection() {
  return (
    <section className="card profile-section">
      <div>
        <Title order={2}>Activity</Title>
        <Text size="sm" c="dimmed" mt={4}>
          Your logins, including refused ones, and what was done with your account and your API keys.
        </Text>
      </div>
      <div>
        <Button component={Link} to="/user/activity" variant="default" leftSection={<Icon shape={IconHistory} />}>
          Show your activity
        </Button>
      </div>
    </section>
  )
}
