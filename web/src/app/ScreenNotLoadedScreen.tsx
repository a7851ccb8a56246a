import { users } from "@envkeep/contract"
import { useRouteError } from "react-router"
import { ApiError, api, unreachable } from "../lib/api.ts"
import { notify } from "../lib/notify.ts"
import { LoadFailed } from "../ui/LoadFailed.tsx"
import { PageTitle } from "../ui/PageTitle.tsx"
import { ScreenNotLoaded } from "./screens.ts"

/** Stands inside the layout, so that the screens that are there can still be reached. */
export function ScreenNotLoadedScreen() {
  const error = useRouteError()
  if (!(error instanceof ScreenNotLoaded)) throw error
  return (
    <div className="page">
      <PageTitle>Error</PageTitle>
      <LoadFailed title="This screen could not be loaded" message={unreachable} isPage onRetry={retry} />
    </div>
  )
}

/**
 * Browsers remember that a script failed, so only a new load of the page brings it; but not before the server answers,
 * or the page would be gone as well.
 */
async function retry(): Promise<void> {
  try {
    await api(users.me, {})
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.status === 0) return notify.error(error.message)
  }
  location.reload()
}
