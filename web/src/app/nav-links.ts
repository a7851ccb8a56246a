import type { User } from "@envkeep/contract"

export interface NavLink {
  to: string
  label: string
}

/** The links for a guest, a user or an admin, in the order of the bar. */
export function navLinks(user: User | null, canRegister: boolean): NavLink[] {
  return [
    { to: "/", label: "Home" },
    ...(user === null ? [login, ...(canRegister ? [register] : [])] : []),
    ...(user?.isAdmin ? [{ to: "/admin/dashboard", label: "Admin" }] : []),
    ...(user === null ? [] : userLinks),
  ]
}

const login: NavLink = { to: "/login", label: "Login" }
const register: NavLink = { to: "/register", label: "Register" }

const userLinks: NavLink[] = [
  { to: "/collection/dashboard", label: "Collections" },
  { to: "/user/dashboard", label: "Profile" },
  { to: "/user/logout", label: "Logout" },
]

/** Collections is also current on the page of one collection, Admin on every admin page. */
export function isCurrent({ to }: NavLink, pathname: string): boolean {
  if (to === "/" || to === "/user/logout") return pathname === to
  return pathname === to || (to.endsWith("/dashboard") && pathname.startsWith(to.slice(0, -"dashboard".length)))
}
