import { z } from "zod"
import { call } from "./call.ts"
import productCategories from "./product-categories.json" with { type: "json" }
import { description, fields, name } from "./text.ts"

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
    method: "GET",
    path: "/hrkljush",
    summary: "How many of each thing the store holds.",
    input: fields({}),
    output: Counters,
    done: "OK",
  }),
  listProducts: call({
    access: "admin",
    method: "GET",
    path: "/hrkljush/product/list",
    summary: "All products by id.",
    input: fields({}),
    output: z.object({ products: z.array(Product) }),
    done: "OK",
  }),
  createProduct: call({
    access: "admin",
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
