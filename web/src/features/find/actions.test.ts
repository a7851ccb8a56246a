import type { CollectionSummary, Level } from "@envkeep/contract"
import { expect, test } from "vitest"
import { actionsFor } from "./actions.ts"

function collection(id: number, role: Level, environments: string[]): CollectionSummary {
  return {
    id,
    name: `app ${id}`,
    description: "",
    changedAt: null,
    role,
    subCollections: environments.map((name, at) => ({
      id: id * 10_000 + at,
      name,
      collectionId: id,
      revision: 1,
      itemCount: 1,
      isProtected: name === "production",
      baseId: null,
    })),
  }
}

function labels(text: string, path: string, collections: CollectionSummary[]): string[] {
  const [pathname = "", search = ""] = path.split("?")
  const user = { id: 1, username: "ann", email: "ann@example.com", isAdmin: false }
  const scheme = { other: "dark" as const, switchScheme: () => undefined }
  return actionsFor(text, { user, collections, location: { pathname, search }, scheme }).map(({ label }) => label)
}

test("actions that fit the page come first, and those on open environments with them", () => {
  const apps = [collection(1, "owner", ["staging", "production"]), collection(2, "owner", ["preview"])]
  expect(labels("", "/collection/dashboard", apps)[0]).toBe("Create collection")
  expect(labels("", "/collection/1?env=10001", apps).slice(0, 11)).toEqual([
    "Compare environments",
    "Create environment",
    "Names",
    "Sharing",
    "Webhooks of this collection",
    "Activity of this collection",
    "Trash of this collection",
    "Export production",
    "API keys of production",
    "Import into production",
    "History of production",
  ])
  expect(labels("export", "/collection/1", apps)).toEqual(["Export staging", "Export production", "Export preview"])
  expect(labels("compare", "/collection/2", apps)).toEqual(["Compare environments"])
  expect(labels("environment new app 2", "/collection/1", apps)).toEqual(["Create environment"])
  expect(labels("prod exp", "/user/dashboard", apps)).toEqual(["Export production"])
})

test("what a role does not allow is not offered", () => {
  const offeredTo = (role: Level) =>
    ["export", "api keys", "create env"].flatMap((text) =>
      labels(text, "/collection/1", [collection(1, role, ["staging", "production"])]),
    )
  expect(offeredTo("viewer")).toEqual([])
  expect(offeredTo("reader")).toEqual(["Export staging"])
  expect(offeredTo("editor")).toEqual(["Export staging", "API keys of staging"])
  expect(offeredTo("maintainer")).toHaveLength(5)
})

test("the name of an environment asks for none of its actions, and there are never too many", () => {
  const many = Array.from({ length: 1_000 }, (_, at) => `stage ${at}`)
  const apps = [1, 2, 3].map((id) => collection(id, "owner", many))
  expect(labels("stage 7", "/collection/1", apps)).toEqual([])
  expect(labels("stage export", "/collection/1", apps).length).toBeLessThan(30)
  expect(labels("theme", "/collection/1", apps)).toEqual(["Switch to dark mode"])
  expect(labels("sign", "/", apps)).toEqual(["Log out"])
})
