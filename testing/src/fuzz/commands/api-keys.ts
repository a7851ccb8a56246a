import { apiKeys, sentences } from "@envkeep/contract"
import fc from "fast-check"
import { expect } from "vitest"
import { anyData, commandsAbout, commandsFor, refused } from "../model/command.ts"
import { field } from "../model/field.ts"
import { allKeys, effectiveAt, isUsable, learnId, newKey } from "../model/model.ts"
import { keyView, listedKeysView } from "../model/views.ts"

const maxNameCharacters = 100

function replacedName(name: string, taken: ReadonlySet<string>): string {
  const suffixes = [" (replaced)", ...Array.from({ length: taken.size + 1 }, (_, n) => ` (replaced ${n + 2})`)]
  const names = suffixes.map((suffix) => [...name].slice(0, maxNameCharacters - suffix.length).join("") + suffix)
  return names.find((free) => !taken.has(free)) ?? ""
}

const note = field({
  draw: fc.constantFrom("", "a note", "n".repeat(500), "n".repeat(501)),
  faults: ({ length }) => (length > 500 ? ["Note can be at most 500 characters"] : []),
})

export const apiKeysCommands = {
  list: commandsFor(apiKeys.list, { data: ({ account }) => listedKeysView(account) }),

  create: commandsAbout("environment", apiKeys.create, {
    refusal: ({ environment, input: { name } }) =>
      [...environment.keys.values()].some((one) => one.name === name.trim()) &&
      refused(409, "This environment already has an API key with that name"),
    data({ model, environment, input: { name } }, { id, key }) {
      expect(key).toMatch(/^ek_[0-9A-Za-z]{46}$/)
      expect([...model.deletedKeys, ...allKeys(model).map((one) => one.key.key)]).not.toContain(key)
      const made = newKey({ id: learnId(model, "key", id), name: name.trim(), key: String(key) })
      environment.keys.set(id, made)
      return keyView(environment.id, made)
    },
  }),

  update: commandsAbout("key", apiKeys.update, {
    fields: { note },
    data({ environment, key, input: { note } }) {
      key.note = String(note)
      return keyView(environment.id, key)
    },
  }),

  disable: commandsAbout("key", apiKeys.disable, {
    data({ environment, key, input }) {
      key.isDisabled = input.isDisabled
      return keyView(environment.id, key)
    },
  }),

  roll: commandsAbout("key", apiKeys.roll, {
    fields: { overlapMinutes: fc.constantFrom(0, 60) },
    refusal: ({ key }) => key.rolled !== undefined && refused(409, sentences.alreadyRolled),
    data({ model, environment, key: old, input: { overlapMinutes } }, { id, key }) {
      const made = newKey({ id: learnId(model, "key", id), name: old.name, key: String(key) })
      made.note = old.note
      const names = new Set(Array.from(environment.keys.values(), ({ name }) => name))
      old.name = replacedName(old.name, names)
      old.rolled = { successorId: id, isExpired: overlapMinutes === 0 }
      environment.keys.set(id, made)
      return keyView(environment.id, made)
    },
  }),

  // Uses are stored with a delay.
  usage: commandsAbout("key", apiKeys.usage, { data: anyData }),
  lastUse: commandsAbout("key", apiKeys.lastUse, { data: ({ key }, data) => (key.used ? data : null) }),

  leak: commandsAbout("key", apiKeys.leak, {
    data({ environment, key }, leak) {
      const listed = leak.names.filter(({ state }) => state !== "removed").map(({ name }) => name)
      // What it can read now is what must be replaced.
      if (isUsable(key)) {
        expect(listed).toEqual([...effectiveAt(environment, environment.revision).items.keys()].toSorted())
        expect(leak.endedAt).toBe(null)
      }
      return leak
    },
  }),

  remove: commandsAbout("key", apiKeys.remove, {
    weight: 2,
    data({ model, environment, key }) {
      model.deletedKeys.push(key.key)
      environment.keys.delete(key.id)
    },
  }),
}
