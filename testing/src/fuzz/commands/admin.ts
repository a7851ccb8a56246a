import { admin, type Counters, type Product, productCategories, productTypes } from "@envkeep/contract"
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
    draw: fc.constant({}),
    expected: ({ model }) => ({
      data(data) {
        const { lastLoaded, ...counts } = data as Counters
        expect(Math.abs(Date.parse(lastLoaded) - Date.now())).toBeLessThan(600_000)
        return { lastLoaded, ...(model.isOnlyWriter ? countersView(model) : counts) }
      },
    }),
  }),

  listProducts: commandsFor(admin.listProducts, {
    weight: 2,
    draw: fc.constant({}),
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
    request: (_, body) => ({ body }),
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
