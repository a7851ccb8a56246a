import { type ApiKey, apiKeys } from "@envkeep/contract"
import fc from "fast-check"
import { expect } from "vitest"
import { commandsFor, notFound, refused, unless } from "../model/command.ts"
import * as draw from "../model/draw.ts"
import { allKeys, keysOf, learnId } from "../model/model.ts"
import { nameFaults } from "../model/text-rules.ts"
import { keyView, listedKeysView } from "../model/views.ts"
import { findEnvironment } from "./environments.ts"

const taken = refused(409, "This environment already has an API key with that name")

export const apiKeysCommands = {
  list: commandsFor(apiKeys.list, {
    draw: fc.constant({}),
    expected: ({ account }) => ({ data: () => listedKeysView(account) }),
  }),

  create: commandsFor(apiKeys.create, {
    draw: fc.record({ at: draw.picked, name: draw.name }),
    request: ({ model, account }, { at, name }) => ({
      body: { name, subCollectionId: draw.resolve(model, account, "environment", at) },
    }),
    expected: ({ model, account }, { at, name }) =>
      unless(nameFaults(name), () => {
        const found = findEnvironment(account, draw.resolve(model, account, "environment", at))
        if (found === undefined) return notFound("Environment")
        const { environment } = found
        if ([...environment.keys.values()].some((one) => one.name === name.trim())) return taken
        return {
          data(data) {
            const { id, key } = data as ApiKey
            expect(key).toMatch(/^ek_[0-9A-Za-z]{46}$/)
            expect([...model.deletedKeys, ...allKeys(model).map((one) => one.key.key)]).not.toContain(key)
            const made = { id: learnId(model, "key", id), name: name.trim(), key: String(key), used: false }
            environment.keys.set(id, made)
            return keyView(environment.id, made)
          },
        }
      }),
  }),

  lastUse: commandsFor(apiKeys.lastUse, {
    draw: fc.record({ at: draw.picked }),
    request: ({ model, account }, { at }) => ({ id: draw.resolve(model, account, "key", at) }),
    expected({ account }, _, { id }) {
      const found = keysOf(account).find(({ key }) => key.id === id)
      if (found === undefined) return notFound("API Key")
      // It is stored with a delay, so a used key may still seem unused.
      return { data: (data) => (found.key.used ? data : null) }
    },
  }),

  remove: commandsFor(apiKeys.remove, {
    weight: 2,
    draw: fc.record({ at: draw.picked }),
    request: ({ model, account }, { at }) => ({ id: draw.resolve(model, account, "key", at) }),
    expected({ model, account }, _, { id }) {
      const found = keysOf(account).find(({ key }) => key.id === id)
      if (found === undefined) return notFound("API Key")
      return {
        data() {
          model.deletedKeys.push(found.key.key)
          found.environment.keys.delete(found.key.id)
          return null
        },
      }
    },
  }),
}
