import { useState } from "react"
import { Navigate, Outlet, useLocation } from "react-router"
import { factorPage, factorPageBefore } from "../lib/factor-page.ts"
import { pageAfterLogin } from "../lib/page-after-login.ts"
import { useUser } from "../lib/state.ts"

/** Around login and register. It also redirects after a successful login: to what made the user log in. */
export function GuestsOnly() {
  const { search } = useLocation()
  return useUser() === null ? <Outlet /> : <Navigate to={pageAfterLogin(search)} replace />
}

/**
 * It also redirects when the session ends while a page is open, and where the server first wants a second factor. The
 * address may say what came of a visit to a sign-in provider, and the page of the second factor shows that too.
 */
export function UsersOnly() {
  const user = useUser()
  const location = useLocation()
  if (user === null) return <Navigate to="/login" replace />
  const isOpen = [factorPage, "/user/logout"].includes(location.pathname)
  return user.needsSecondFactor && !isOpen ? <Navigate to={factorPageBefore(location)} replace /> : <Outlet />
}

/** Others are sent to the landing page. An administrator whose session ends here has to log in again. */
export function AdminsOnly() {
  const user = useUser()
  const location = useLocation()
  const [cameAsAdmin] = useState(user?.isAdmin === true)
  if (user?.needsSecondFactor) return <Navigate to={factorPageBefore(location)} replace />
  if (user?.isAdmin) return <Outlet />
  return <Navigate to={cameAsAdmin && user === null ? "/login" : "/"} replace />
}
