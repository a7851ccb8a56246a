import { type ApiKey, apiKeys, type KeyLeak, sentences } from "@envkeep/contract"
import fc from "fast-check"
import { expect } from "vitest"
import { commandsFor, notFound, refused, unless } from "../model/command.ts"
import * as draw from "../model/draw.ts"
import { allKeys, effectiveAt, isUsable, keysOf, learnId, newKey } from "../model/model.ts"
import { nameFaults } from "../model/text-rules.ts"
import { keyView, listedKeysView } from "../model/views.ts"
import { findEnvironment } from "./environments.ts"

const taken = refused(409, "This environment already has an API key with that name")

const maxNameCharacters = 100

function replacedName(name: string, taken: ReadonlySet<string>): string {
  const suffixes = [" (replaced)", ...Array.from({ length: taken.size + 1 }, (_, n) => ` (replaced ${n + 2})`)]
  const names = suffixes.map((suffix) => [...name].slice(0, maxNameCharacters - suffix.length).join("") + suffix)
  return names.find((free) => !taken.has(free)) ?? ""
}

export const apiKeysCommands = {
  list: commandsFor(apiKeys.list, {
    expected: ({ account }) => ({ data: () => listedKeysView(account) }),
  }),

  create: commandsFor(apiKeys.create, {
    draw: fc.record({ at: draw.picked, name: draw.name }),
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
            const made = newKey({ id: learnId(model, "key", id), name: name.trim(), key: String(key) })
            environment.keys.set(id, made)
            return keyView(environment.id, made)
          },
        }
      }),
  }),

  update: commandsFor(apiKeys.update, {
    draw: fc.record({ at: draw.picked, note: fc.constantFrom("", "a note", "n".repeat(500), "n".repeat(501)) }),
    expected: ({ account }, { note }, { id }) =>
      unless(note.length > 500 ? ["Note can be at most 500 characters"] : [], () => {
        const found = keysOf(account).find(({ key }) => key.id === id)
        if (found === undefined) return notFound("API Key")
        return {
          data() {
            found.key.note = note
            return keyView(found.environment.id, found.key)
          },
        }
      }),
  }),

  disable: commandsFor(apiKeys.disable, {
    draw: fc.record({ at: draw.picked, isDisabled: fc.boolean() }),
    expected({ account }, { isDisabled }, { id }) {
      const found = keysOf(account).find(({ key }) => key.id === id)
      if (found === undefined) return notFound("API Key")
      return {
        data() {
          found.key.isDisabled = isDisabled
          return keyView(found.environment.id, found.key)
        },
      }
    },
  }),

  roll: commandsFor(apiKeys.roll, {
    draw: fc.record({ at: draw.picked, overlapMinutes: fc.constantFrom(0, 60) }),
    expected({ model, account }, { overlapMinutes }, { id }) {
      const found = keysOf(account).find(({ key }) => key.id === id)
      if (found === undefined) return notFound("API Key")
      if (found.key.rolled !== undefined) return refused(409, sentences.alreadyRolled)
      return {
        data(data) {
          const { key: old, environment } = found
          const { id, key } = data as ApiKey
          const made = newKey({ id: learnId(model, "key", id), name: old.name, key: String(key) })
          made.note = old.note
          const names = new Set(Array.from(environment.keys.values(), ({ name }) => name))
          old.name = replacedName(old.name, names)
          old.rolled = { successorId: id, isExpired: overlapMinutes === 0 }
          environment.keys.set(id, made)
          return keyView(environment.id, made)
        },
      }
    },
  }),

  usage: commandsFor(apiKeys.usage, {
    expected({ account }, _, { id }) {
      if (!keysOf(account).some(({ key }) => key.id === id)) return notFound("API Key")
      // It is stored with a delay.
      return { data: (data) => data }
    },
  }),

  leak: commandsFor(apiKeys.leak, {
    expected({ account }, _, { id }) {
      const found = keysOf(account).find(({ key }) => key.id === id)
      if (found === undefined) return notFound("API Key")
      return {
        data(data) {
          const leak = data as KeyLeak
          const { environment, key } = found
          const listed = leak.names.filter(({ state }) => state !== "removed").map(({ name }) => name)
          // What it can read now is what must be replaced.
          if (isUsable(key)) {
            expect(listed).toEqual([...effectiveAt(environment, environment.revision).items.keys()].toSorted())
            expect(leak.endedAt).toBe(null)
          }
          return data
        },
      }
    },
  }),

  lastUse: commandsFor(apiKeys.lastUse, {
    expected({ account }, _, { id }) {
      const found = keysOf(account).find(({ key }) => key.id === id)
      if (found === undefined) return notFound("API Key")
      // It is stored with a delay, so a used key may still seem unused.
      return { data: (data) => (found.key.used ? data : null) }
    },
  }),

  remove: commandsFor(apiKeys.remove, {
    weight: 2,
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
