import { useQuery } from "@tanstack/react-query"
import { useEffect, useRef } from "react"
import { Outlet, ScrollRestoration, useLocation, useNavigation } from "react-router"
import { userQuery } from "../lib/state.ts"
import { Spinner } from "../ui/Spinner.tsx"
import { ConfirmAgain } from "./ConfirmAgain.tsx"
import { FindResultsLoader } from "./FindResultsLoader.tsx"
import { NavBar } from "./NavBar.tsx"
import { SkipLink } from "./SkipLink.tsx"
import { useNoteOpened } from "./use-note-opened.ts"
import { useUndoKey } from "./use-undo-key.ts"

/** The navigation bar and the page below it. Nothing is shown until the user is known, so that no wrong page flashes. */
export function Layout() {
  const { data: user, isPending } = useQuery(userQuery)
  const main = useFocusOnNavigation()
  useUndoKey()
  useNoteOpened()
  const { state } = useNavigation()
  if (isPending) return <Spinner />
  return (
    <>
      <SkipLink />
      <NavBar />
      {state !== "idle" && <div className="progress-line" />}
      <main id="main" ref={main} tabIndex={-1}>
        <Outlet />
      </main>
      {/* A key: what one user is asked ends with their session. */}
      <ConfirmAgain key={user?.id} />
      {user != null && <FindResultsLoader />}
      <ScrollRestoration />
    </>
  )
}

/** After a navigation the focus starts at the content, as after a full page load. */
function useFocusOnNavigation() {
  const main = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  const last = useRef(pathname)
  useEffect(() => {
    if (last.current === pathname) return
    last.current = pathname
    if (!main.current?.contains(document.activeElement)) main.current?.focus({ preventScroll: true })
  }, [pathname])
  return main
}
