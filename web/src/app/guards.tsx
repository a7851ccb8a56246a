import { useState } from "react"
import { Navigate, Outlet } from "react-router"
import { heldInvitation } from "../lib/held-invitation.ts"
import { useUser } from "../lib/state.ts"

/** Around login and register. It also redirects after a successful login: to the invitation that made the user log in. */
export function GuestsOnly() {
  if (useUser() === null) return <Outlet />
  return <Navigate to={heldInvitation() === undefined ? "/collection/dashboard" : "/invitation"} replace />
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
