import { admin, countedDays, type Product } from "@envkeep/contract"
import fc from "fast-check"
import { expect } from "vitest"
import { anyData, commandsFor } from "../model/command.ts"
import { learnId } from "../model/model.ts"
import { countersView } from "../model/views.ts"

export const adminCommands = {
  counters: commandsFor(admin.counters, {
    weight: 3,
    data({ model }, { lastLoaded, ...counts }) {
      expect(Math.abs(Date.parse(lastLoaded) - Date.now())).toBeLessThan(600_000)
      return { lastLoaded, ...(model.isOnlyWriter ? countersView(model) : counts) }
    },
  }),

  dailyCounts: commandsFor(admin.dailyCounts, {
    weight: 1,
    fields: { days: fc.constantFrom("", ...countedDays) },
    faults: ({ days }) => (countedDays.some((one) => one === days) ? [] : ["Days must be 30, 90, 365"]),
    data: anyData,
  }),

  sizes: commandsFor(admin.sizes, {
    weight: 1,
    data({ model, input: { kind } }, data) {
      const counters = countersView(model)
      const all = {
        collections: counters.collectionsCount,
        environments: counters.environmentsCount,
        items: counters.usersCount,
      }
      for (const { ranges } of data.distributions) {
        const counted = ranges.reduce((sum, { count }) => sum + count, 0)
        if (model.isOnlyWriter && kind !== "subscriptions") expect(counted).toBe(all[kind])
      }
      return data
    },
  }),

  listProducts: commandsFor(admin.listProducts, {
    weight: 2,
    data: ({ model }) => ({ products: model.products }),
  }),

  createProduct: commandsFor(admin.createProduct, {
    weight: 2,
    data({ model, input: { name, description = "", ...others } }, { id }) {
      const product: Product = { id: learnId(model, "product", id), name: name.trim(), description, ...others }
      model.products.push(product)
      return product
    },
  }),
}
