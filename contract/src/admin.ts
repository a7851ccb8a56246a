import { z } from "zod"
import { call } from "./call.ts"
import productCategories from "./product-categories.json" with { type: "json" }
import { description, fields, name, queried, shown } from "./text.ts"

export { productCategories }

export const productTypes = ["SERVICE", "PHYSICAL", "DIGITAL"] as const

export const Counters = z.object({
  /** When the counts were taken, in ISO 8601. */
  lastLoaded: z.string(),
  productsCount: z.number(),
  usersCount: z.number(),
  collectionsCount: z.number(),
  environmentsCount: z.number(),
  itemsCount: z.number(),
  subscriptionsCount: z.number(),
})
export type Counters = z.output<typeof Counters>

/** How many of each thing there were when the day's count was taken. */
export const DailyCount = Counters.omit({ lastLoaded: true }).extend({
  /** In UTC, such as 2026-01-31. */
  day: z.string(),
})
export type DailyCount = z.output<typeof DailyCount>

/** Over how many days counts are shown. */
export const countedDays = [30, 90, 365] as const

/** What sizes are shown of. */
export const sizedKinds = ["collections", "environments", "items", "subscriptions"] as const
export type SizedKind = (typeof sizedKinds)[number]

/** How large things are, without their names. */
export const Sizes = z.object({
  distributions: z.array(
    z.object({
      /** What is measured: environments of a collection, items of an environment or an account, bytes. */
      measure: z.enum(["environments", "items", "bytes"]),
      /** How many have at least `from` and at most `to`, in rising order. The last has no end. */
      ranges: z.array(z.object({ from: z.number(), to: z.number().nullable(), count: z.number() })),
    }),
  ),
  /** The ten that store most; of items, the accounts. */
  largest: z.array(
    z.object({
      id: z.number(),
      /** Whose quota pays for it. */
      owner: z.object({ id: z.number(), username: shown }),
      /** Null for an environment. */
      environments: z.number().nullable(),
      items: z.number(),
      /** Of values, with the history. */
      bytes: z.number(),
    }),
  ),
  /** How many subscriptions each product has. */
  products: z.array(z.object({ id: z.number(), name: z.string(), subscriptions: z.number() })),
})
export type Sizes = z.output<typeof Sizes>

export const Product = z.object({
  id: z.number(),
  name: z.string(),
  description: z.string(),
  type: z.enum(productTypes),
  category: z.enum(productCategories),
})
export type Product = z.output<typeof Product>

export const admin = {
  counters: call({
    access: "admin",
    token: "manage",
    method: "GET",
    path: "/hrkljush",
    summary: "How many of each thing the store holds.",
    input: fields({}),
    output: Counters,
    done: "OK",
  }),
  dailyCounts: call({
    access: "admin",
    token: "manage",
    method: "GET",
    path: "/admin/daily-counts",
    summary: "How many of each thing the store held on each of the last days, oldest first.",
    input: fields({
      days: queried(z.literal(countedDays, { error: `Days must be ${countedDays.join(", ")}` })).optional(),
    }),
    output: z.object({ days: z.array(DailyCount) }),
    done: "OK",
  }),
  sizes: call({
    access: "admin",
    token: "manage",
    method: "GET",
    path: "/admin/sizes",
    summary: "How large things of a kind are, without their names.",
    input: fields({ kind: z.enum(sizedKinds, { error: `Kind must be one of ${sizedKinds.join(", ")}` }) }),
    output: Sizes,
    done: "OK",
  }),
  listProducts: call({
    access: "admin",
    token: "manage",
    method: "GET",
    path: "/hrkljush/product/list",
    summary: "All products by id.",
    input: fields({}),
    output: z.object({ products: z.array(Product) }),
    done: "OK",
  }),
  createProduct: call({
    access: "admin",
    token: "manage",
    method: "POST",
    path: "/hrkljush/product/create",
    summary: "Creates a product.",
    input: fields({
      name: name("Name is required"),
      description: description.default(""),
      type: z.enum(productTypes, { error: "Type must be SERVICE, PHYSICAL or DIGITAL" }),
      category: z.enum(productCategories, { error: "Category must be one of the listed categories" }),
    }),
    output: Product,
    done: "Product created successfully",
  }),
}
