import { signInAddress } from "@envkeep/contract"
import { Button, Stack, Text } from "@mantine/core"
import { useLocation } from "react-router"
import { pageAfterLogin } from "../../lib/page-after-login.ts"
import { signInProviders } from "../../lib/sign-in-providers.ts"

/** Links, not buttons of a form: our pages send forms to this server only, and a provider is another one. */
export function ProviderButtons({ toRegister = false }: { toRegister?: boolean }) {
  const to = pageAfterLogin(useLocation().search)
  const providers = signInProviders().filter(({ mayRegister }) => mayRegister || !toRegister)
  if (providers.length === 0) return null
  return (
    <Stack gap="sm" mt="md">
      <Text size="sm" c="dimmed" ta="center">
        or
      </Text>
      {providers.map(({ name, label }) => (
        <Button key={name} component="a" href={signInAddress(name, to)} variant="default" size="md" fullWidth>
          Continue with {label}
        </Button>
      ))}
    </Stack>
  )
}
