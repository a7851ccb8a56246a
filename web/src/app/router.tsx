import type { QueryClient } from "@tanstack/react-query"
import type { ComponentType } from "react"
import { createBrowserRouter, Navigate, type RouteObject } from "react-router"
import { logout } from "../features/auth/logout.ts"
import { sendsMail } from "../lib/mail.ts"
import { Spinner } from "../ui/Spinner.tsx"
import { AdminsOnly, GuestsOnly, UsersOnly } from "./guards.tsx"
import { Layout } from "./Layout.tsx"
import { NotFoundScreen } from "./NotFoundScreen.tsx"
import { RouteErrorScreen } from "./RouteErrorScreen.tsx"
import { ScreenNotLoadedScreen } from "./ScreenNotLoadedScreen.tsx"
import { loadScreen, screens } from "./screens.ts"

export function createRouter(client: QueryClient) {
  return createBrowserRouter(routes(client))
}

/**
 * All routes. Screens are loaded when they are opened, or earlier when the browser is idle. A new list for each router,
 * because a router modifies its routes.
 */
export function routes(client: QueryClient): RouteObject[] {
  return [
    {
      Component: Layout,
      ErrorBoundary: RouteErrorScreen,
      HydrateFallback: Spinner,
      children: [{ ErrorBoundary: ScreenNotLoadedScreen, children: pages(client) }],
    },
  ]
}

function pages(client: QueryClient): RouteObject[] {
  return [
    { index: true, lazy: { Component: () => loadScreen(screens.landing) } },
    {
      Component: GuestsOnly,
      children: [
        screen("login", screens.login),
        screen("register", screens.register),
        screen("lost-factor", screens.lostFactor),
      ],
    },
    ...(sendsMail() ? [screen("forgot", screens.forgot)] : []),
    screen("reset", screens.reset),
    screen("invitation", screens.invitation),
    screen("cli/confirm", screens.cliConfirm),
    { Component: UsersOnly, children: [userRoutes(client), collectionRoutes()] },
    adminRoutes(),
    { path: "*", Component: NotFoundScreen },
  ]
}

function userRoutes(client: QueryClient): RouteObject {
  return {
    path: "user",
    children: [
      screen("dashboard", screens.profile),
      screen("activity", screens.accountActivity),
      screen("second-factor", screens.requiredFactor),
      screen("teams", screens.teams),
      screen("teams/:id", screens.team),
      { path: "logout", loader: () => logout(client), element: null },
      { index: true, element: <Navigate to="/user/dashboard" replace /> },
      { path: "*", element: <Navigate to="/user/dashboard" replace /> },
    ],
  }
}

function collectionRoutes(): RouteObject {
  return {
    path: "collection",
    children: [
      screen("dashboard", screens.dashboard),
      screen("new", screens.newCollection),
      screen("trash", screens.trash),
      screen(":id", screens.collection),
      screen(":id/sharing", screens.sharing),
      screen(":id/compare", screens.compare),
      screen(":id/names", screens.names),
      screen(":id/webhooks", screens.webhooks),
      screen(":id/webhooks/:webhookId", screens.webhook),
      screen(":id/history/:environmentId", screens.history),
      screen(":id/api-key/:apiKeyId/leak", screens.keyLeak),
      screen(":id/trash", screens.collectionTrash),
      screen(":id/activity", screens.collectionActivity),
      { index: true, element: <Navigate to="/collection/dashboard" replace /> },
      { path: "*", element: <Navigate to="/collection/dashboard" replace /> },
    ],
  }
}

function adminRoutes(): RouteObject {
  return {
    path: "admin",
    Component: AdminsOnly,
    children: [
      screen("dashboard", screens.adminDashboard),
      screen("products", screens.products),
      screen("activity", screens.instanceActivity),
      screen("invitations", screens.serverInvitations),
      screen("subscriptions", screens.adminSubscriptions),
      screen("users", screens.adminUsers),
      screen("items", screens.adminItems),
      screen("collections", screens.adminCollections),
      screen("environments", screens.adminEnvironments),
      { index: true, element: <Navigate to="/admin/dashboard" replace /> },
      { path: "*", element: <Navigate to="/admin/dashboard" replace /> },
    ],
  }
}

function screen(path: string, load: () => Promise<ComponentType>): RouteObject {
  return { path, lazy: { Component: () => loadScreen(load) } }
}
