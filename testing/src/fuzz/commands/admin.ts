import {
  admin,
  type Counters,
  countedDays,
  type Product,
  productCategories,
  productTypes,
  type Sizes,
  sizedKinds,
} from "@envkeep/contract"
import fc from "fast-check"
import { expect } from "vitest"
import { commandsFor, unless } from "../model/command.ts"
import * as draw from "../model/draw.ts"
import { learnId } from "../model/model.ts"
import { descriptionFaults, nameFaults } from "../model/text-rules.ts"
import { countersView } from "../model/views.ts"

export const adminCommands = {
  counters: commandsFor(admin.counters, {
    weight: 3,
    expected: ({ model }) => ({
      data(data) {
        const { lastLoaded, ...counts } = data as Counters
        expect(Math.abs(Date.parse(lastLoaded) - Date.now())).toBeLessThan(600_000)
        return { lastLoaded, ...(model.isOnlyWriter ? countersView(model) : counts) }
      },
    }),
  }),

  dailyCounts: commandsFor(admin.dailyCounts, {
    weight: 1,
    draw: fc.constantFrom("", ...countedDays),
    request: (_, days) => ({ query: `?days=${days}` }),
    expected: (_, days) => unless(days === "" ? ["Days must be 30, 90, 365"] : [], () => ({ data: (data) => data })),
  }),

  sizes: commandsFor(admin.sizes, {
    weight: 1,
    draw: fc.constantFrom(...sizedKinds),
    request: (_, kind) => ({ query: `?kind=${kind}` }),
    expected: ({ model }, kind) => ({
      data(data) {
        const { distributions } = data as Sizes
        const counters = countersView(model)
        const all = {
          collections: counters.collectionsCount,
          environments: counters.environmentsCount,
          items: counters.usersCount,
        }
        for (const { ranges } of distributions) {
          const counted = ranges.reduce((sum, { count }) => sum + count, 0)
          if (model.isOnlyWriter && kind !== "subscriptions") expect(counted).toBe(all[kind])
        }
        return data
      },
    }),
  }),

  listProducts: commandsFor(admin.listProducts, {
    weight: 2,
    expected: ({ model }) => ({ data: () => ({ products: model.products }) }),
  }),

  createProduct: commandsFor(admin.createProduct, {
    weight: 2,
    draw: fc.record({
      name: draw.name,
      description: fc.option(draw.description, { nil: undefined, freq: 4 }),
      type: fc.constantFrom(...productTypes),
      category: fc.constantFrom(...productCategories),
    }),
    expected: ({ model }, { name, description = "", type, category }) =>
      unless([...nameFaults(name), ...descriptionFaults(description)], () => ({
        data(data) {
          const id = learnId(model, "product", (data as Product).id)
          const product = { id, name: name.trim(), description, type, category } as Product
          model.products.push(product)
          return product
        },
      })),
  }),
}
