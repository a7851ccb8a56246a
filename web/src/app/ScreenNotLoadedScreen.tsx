import { firstCalls } from "@envkeep/contract"
import { useRouteError } from "react-router"
import { ApiError, firstAnswer, unreachable } from "../lib/api.ts"
import { notify } from "../lib/notify.ts"
import { LoadFailed } from "../ui/LoadFailed.tsx"
import { PageTitle } from "../ui/PageTitle.tsx"
import { ScreenNotLoaded } from "./screens.ts"

/** Inside the layout, so that the other screens can still be reached. */
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
 * Browsers cache a failed script import, so only a page reload fetches it again. First the server must answer, or the
 * reload would lose the page as well.
 */
async function retry(): Promise<void> {
  try {
    await firstAnswer(firstCalls.me)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.status === 0) return notify.error(error.message)
  }
  location.reload()
}
