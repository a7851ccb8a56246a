import { Navigate, Outlet } from "react-router"
import { useUser } from "../lib/state.ts"

/** Around login and register. It is also what moves a visitor on once the login has succeeded. */
export function GuestsOnly() {
  return useUser() === null ? <Outlet /> : <Navigate to="/collection/dashboard" replace />
}

/** It also sends away whoever's session ends while they are looking. */
export function UsersOnly() {
  return useUser() === null ? <Navigate to="/login" replace /> : <Outlet />
}

export function AdminsOnly() {
  return useUser()?.isAdmin ? <Outlet /> : <Navigate to="/" replace />
}
