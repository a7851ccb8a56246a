import { useQuery } from "@tanstack/react-query"
import { useEffect, useRef } from "react"
import { Outlet, ScrollRestoration, useLocation, useNavigation } from "react-router"
import { userQuery } from "../lib/state.ts"
import { Spinner } from "../ui/Spinner.tsx"
import { NavBar } from "./NavBar.tsx"

/** The bar above every page. Nothing is shown before we know who is looking, so that no screen flashes by. */
export function Layout() {
  const { isPending } = useQuery(userQuery)
  const main = useFocusOnNavigation()
  const { state } = useNavigation()
  if (isPending) return <Spinner />
  return (
    <>
      <a href="#main" className="skip-link">
        Skip to content
      </a>
      <NavBar />
      {state !== "idle" && <div className="progress-line" />}
      <main id="main" ref={main} tabIndex={-1}>
        <Outlet />
      </main>
      <ScrollRestoration />
    </>
  )
}

/** Screen readers and the keyboard start at the content of a new page, as they do after a full load. */
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
