import { useState } from "react"
import { Navigate, Outlet, useLocation } from "react-router"
import { heldCliCode } from "../lib/held-cli-code.ts"
import { heldInvitation } from "../lib/held-invitation.ts"
import { useUser } from "../lib/state.ts"

/** Around login and register. It also redirects after a successful login: to what made the user log in. */
export function GuestsOnly() {
  if (useUser() === null) return <Outlet />
  if (heldInvitation() !== undefined) return <Navigate to="/invitation" replace />
  return <Navigate to={heldCliCode() === undefined ? "/collection/dashboard" : "/cli/confirm"} replace />
}

const factorPage = "/user/second-factor"

/** It also redirects when the session ends while a page is open, and where the server first wants a second factor. */
export function UsersOnly() {
  const user = useUser()
  const { pathname } = useLocation()
  if (user === null) return <Navigate to="/login" replace />
  const isOpen = pathname === factorPage || pathname === "/user/logout"
  return user.needsSecondFactor && !isOpen ? <Navigate to={factorPage} replace /> : <Outlet />
}

/** Others are sent to the landing page. An administrator whose session ends here has to log in again. */
export function AdminsOnly() {
  const user = useUser()
  const [cameAsAdmin] = useState(user?.isAdmin === true)
  if (user?.needsSecondFactor) return <Navigate to={factorPage} replace />
  if (user?.isAdmin) return <Outlet />
  return <Navigate to={cameAsAdmin && user === null ? "/login" : "/"} replace />
}
