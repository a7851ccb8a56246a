import { testApp } from "@envkeep/testing/app.ts"
import pg from "pg"
import { expect, onTestFinished, test } from "vitest"

test("changes of one environment wait for each other without a connection, so that others still get one", async () => {
  const app = await testApp()
  const [ann, bob] = [await app.user(), await app.user()]
  const environment = await ann.environment()
  const items = [await ann.item(environment, "A", "1"), await ann.item(environment, "B", "1")]
  const connect = async () => {
    const client = new pg.Client(app.location.databaseUrl)
    await client.connect()
    onTestFinished(() => client.end())
    return client
  }
  const [holder, observer] = [await connect(), await connect()]
  const waitingForLock = async () => {
    const { rows } = await observer.query(
      "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    )
    return rows.length
  }

  await holder.query("begin")
  await holder.query("select id from environment where id = $1 for update", [environment.id])
  const names = Array.from({ length: 8 }, (_, index) => `NEW_${index}`)
  const added = [
    ...names.map((name) => ann.item(environment, name, "1")),
    ann.apiKey(environment, "first"),
    ann.apiKey(environment, "second"),
  ]
  const changed = [
    ann.put(`/collectionItem/${items[0]?.id}`, { name: "A", value: "2" }),
    ann.delete(`/collectionItem/${items[1]?.id}`),
    ann.put(`/subcollection/${environment.id}`, { name: "renamed" }),
    ann.post(
      `/subcollection/${environment.id}/bulk`,
      ["A", "B"].map((name) => ({ name, value: "3" })),
    ),
  ]
  await expect.poll(waitingForLock).toBe(1)
  for (let n = 0; n < 5; n++) expect((await bob.environment()).id).toEqual(expect.any(Number))
  expect(await waitingForLock()).toBe(1)

  await holder.query("commit")
  for (const { id } of await Promise.all(added)) expect(id).toEqual(expect.any(Number))
  for (const answer of await Promise.all(changed)) expect(answer).toMatchObject({ body: { error: false } })
})
