import { useState } from "react"
import { Navigate, Outlet } from "react-router"
import { heldCliCode } from "../lib/held-cli-code.ts"
import { heldInvitation } from "../lib/held-invitation.ts"
import { useUser } from "../lib/state.ts"

/** Around login and register. It also redirects after a successful login: to what made the user log in. */
export function GuestsOnly() {
  if (useUser() === null) return <Outlet />
  if (heldInvitation() !== undefined) return <Navigate to="/invitation" replace />
  return <Navigate to={heldCliCode() === undefined ? "/collection/dashboard" : "/cli/confirm"} replace />
}

/** It also redirects when the session ends while a page is open. */
export function UsersOnly() {
  return useUser() === null ? <Navigate to="/login" replace /> : <Outlet />
}

/** Others are sent to the landing page. An administrator whose session ends here has to log in again. */
export function AdminsOnly() {
  const user = useUser()
  const [cameAsAdmin] = useState(user?.isAdmin === true)
  if (user?.isAdmin) return <Outlet />
  return <Navigate to={cameAsAdmin && user === null ? "/login" : "/"} replace />
}
