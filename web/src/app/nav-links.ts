import type { User } from "@envkeep/contract"

interface NavLink {
  to: string
  label: string
}

/** The links of each audience, in the order of the bar. */
export function navLinks(user: User | null): NavLink[] {
  return [
    { to: "/", label: "Home" },
    ...(user === null ? guestLinks : []),
    ...(user?.isAdmin ? [{ to: "/admin/dashboard", label: "Admin" }] : []),
    ...(user === null ? [] : userLinks),
  ]
}

const guestLinks: NavLink[] = [
  { to: "/login", label: "Login" },
  { to: "/register", label: "Register" },
]

const userLinks: NavLink[] = [
  { to: "/collection/dashboard", label: "Collections" },
  { to: "/user/dashboard", label: "Profile" },
  { to: "/user/logout", label: "Logout" },
]

/** A collection belongs to Collections, a page of the admin area to Admin. */
export function isCurrent({ to }: NavLink, pathname: string): boolean {
  if (to === "/" || to === "/user/logout") return pathname === to
  return pathname === to || (to.endsWith("/dashboard") && pathname.startsWith(to.slice(0, -"dashboard".length)))
}
