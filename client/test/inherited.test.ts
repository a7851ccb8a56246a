import { rebase } from "@envkeep/testing/chain.ts"
import { expect, test } from "vitest"
import { loginWorld } from "./login-world.ts"

/** An environment that sets OWN at revision 2, and inherits SHARED from revision 3 on. */
async function inheritingWorld() {
  const made = await loginWorld([{ name: "OWN", value: "first own value" }])
  const base = await made.ann.environment("base", made.environment.collectionId)
  const shared = await made.ann.item(base, "SHARED", "first shared value")
  await rebase(made.ann, made.environment, base)
  const share = (value: string) => made.ann.put(`/collectionItem/${shared.id}`, { name: "SHARED", value })
  const own = async () => (await made.ann.itemsOf(made.environment)).map(({ name, value }) => `${name}=${value}`)
  return { ...made, base, share, own }
}

test("a revision that inherited what is no longer kept is refused, and can still be rolled back to", async () => {
  const { run, ann, environment, base, own } = await inheritingWorld()
  expect((await run(["get", "SHARED", "--revision", "3"])).out).toBe("first shared value")
  await rebase(ann, environment, null)
  await ann.delete(`/subcollection/${base.id}`)
  await ann.purge("environments", base)
  await run(["set", "OWN=second own value", "--yes"])
  const err = "envkeep: what revision 3 inherited is no longer kept, so it cannot be read\n"
  for (const words of ["get OWN --revision 3", "print --revision 3", "pull --revision 3", "run --revision 3 true"]) {
    expect(await run(words.split(" "))).toEqual({ code: 1, out: "", err })
  }
  expect(await run(["diff", "rev:3"])).toEqual({ code: 2, out: "", err })
  expect((await run(["get", "OWN", "--revision", "2"])).out).toBe("first own value")

  expect((await run(["rollback", "3", "--yes"])).err).toContain("~ OWN=******** -> ********\nenvkeep: rolled ")
  expect(await own()).toEqual(["OWN=first own value"])
})

test("rollback shows what it does: what was inherited is left to the base", async () => {
  const { run, share, own } = await inheritingWorld()
  await share("second shared value")
  expect(await run(["rollback", "3", "--yes"])).toEqual({
    code: 0,
    out: "",
    err: "envkeep: app/production itself holds the same as at revision 3: nothing to change\n",
  })
  await run(["set", "SHARED=third value", "--yes"])
  expect((await run(["rollback", "3", "--yes"])).err).toMatch(/^- SHARED=\*{8}\nenvkeep: rolled /)
  expect(await own()).toEqual(["OWN=first own value"])

  // What it set itself comes back, even if the base has the same value by now.
  await share("third value")
  expect((await run(["rollback", "5", "--yes"])).err).toMatch(/^\+ SHARED=\*{8}\nenvkeep: rolled /)
  expect(await own()).toEqual(["OWN=first own value", "SHARED=third value"])
})
