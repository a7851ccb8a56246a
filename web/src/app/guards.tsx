import { Navigate, Outlet } from "react-router"
import { useUser } from "../lib/state.ts"

/** Around login and register. It also redirects after a successful login. */
export function GuestsOnly() {
  return useUser() === null ? <Outlet /> : <Navigate to="/collection/dashboard" replace />
}

/** It also redirects when the session ends while a page is open. */
export function UsersOnly() {
  return useUser() === null ? <Navigate to="/login" replace /> : <Outlet />
}

export function AdminsOnly() {
  return useUser()?.isAdmin ? <Outlet /> : <Navigate to="/" replace />
}
