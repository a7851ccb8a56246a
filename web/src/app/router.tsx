import type { QueryClient } from "@tanstack/react-query"
import { createBrowserRouter, Navigate, type RouteObject } from "react-router"
import { logout } from "../features/auth/logout.ts"
import { LandingScreen } from "../features/landing/LandingScreen.tsx"
import { Spinner } from "../ui/Spinner.tsx"
import { AdminsOnly, GuestsOnly, UsersOnly } from "./guards.tsx"
import { Layout } from "./Layout.tsx"
import { NotFoundScreen } from "./NotFoundScreen.tsx"
import { RouteErrorScreen } from "./RouteErrorScreen.tsx"

export function createRouter(client: QueryClient) {
  return createBrowserRouter(routes(client))
}

/**
 * Every route there is. The landing page comes with the first load; the other screens when they are first opened. Made
 * anew for each router, which writes into them.
 */
export function routes(client: QueryClient): RouteObject[] {
  return [
    {
      Component: Layout,
      ErrorBoundary: RouteErrorScreen,
      HydrateFallback: Spinner,
      children: [
        { index: true, Component: LandingScreen },
        {
          Component: GuestsOnly,
          children: [
            {
              path: "login",
              lazy: { Component: async () => (await import("../features/auth/LoginScreen.tsx")).LoginScreen },
            },
            {
              path: "register",
              lazy: { Component: async () => (await import("../features/auth/RegisterScreen.tsx")).RegisterScreen },
            },
          ],
        },
        { Component: UsersOnly, children: [userRoutes(client), collectionRoutes()] },
        adminRoutes(),
        { path: "*", Component: NotFoundScreen },
      ],
    },
  ]
}

function userRoutes(client: QueryClient): RouteObject {
  return {
    path: "user",
    children: [
      {
        path: "dashboard",
        lazy: { Component: async () => (await import("../features/account/ProfileScreen.tsx")).ProfileScreen },
      },
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
      {
        path: "dashboard",
        lazy: { Component: async () => (await import("../features/collections/DashboardScreen.tsx")).DashboardScreen },
      },
      {
        path: "new",
        lazy: {
          Component: async () => (await import("../features/collections/NewCollectionScreen.tsx")).NewCollectionScreen,
        },
      },
      {
        path: ":id",
        lazy: {
          Component: async () => (await import("../features/collections/CollectionScreen.tsx")).CollectionScreen,
        },
      },
      { index: true, element: <Navigate to="/collection/dashboard" replace /> },
      { path: "*", element: <Navigate to="/collection/dashboard" replace /> },
    ],
  }
}

const placeholder = (path: string, title: string): RouteObject => ({
  path,
  lazy: {
    Component: async () => {
      const { PlaceholderScreen } = await import("../features/admin/PlaceholderScreen.tsx")
      return () => <PlaceholderScreen title={title} />
    },
  },
})

function adminRoutes(): RouteObject {
  return {
    path: "admin",
    Component: AdminsOnly,
    children: [
      {
        path: "dashboard",
        lazy: {
          Component: async () => (await import("../features/admin/AdminDashboardScreen.tsx")).AdminDashboardScreen,
        },
      },
      {
        path: "products",
        lazy: { Component: async () => (await import("../features/admin/ProductsScreen.tsx")).ProductsScreen },
      },
      placeholder("subscriptions", "Subscriptions"),
      placeholder("users", "Users"),
      placeholder("items", "Items"),
      placeholder("collections", "Collections"),
      placeholder("environments", "Environments"),
      { index: true, element: <Navigate to="/admin/dashboard" replace /> },
      { path: "*", element: <Navigate to="/admin/dashboard" replace /> },
    ],
  }
}
