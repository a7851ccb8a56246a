import { sentences } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { browser } from "@envkeep/testing/crash/clients.ts"
import { faultControl } from "@envkeep/testing/disk-faults/control.ts"
import { faultTest } from "@envkeep/testing/disk-faults/fault-test.ts"
import { run } from "@envkeep/testing/process.ts"
import { password } from "@envkeep/testing/running-app.ts"
import { waitTimeoutMs } from "@envkeep/testing/time-limits.ts"
import { expect, onTestFinished } from "vitest"

// A file system that refuses locks for good while the server runs.

faultTest(
  "while locks are refused, a server asks for none most of the time, and goes on when it gets them",
  async () => {
    const app = await testApp()
    const { email } = await app.user()
    await app.close()
    const control = await faultControl(app.location.dataDir)
    onTestFinished(() => control.remove())
    const server = run(app.location, { env: control.env })
    const target = { url: await server.url() }
    const ann = browser(target)
    await ann.call("POST", "/users/login", { email, password })
    const save = () => ann.call("POST", "/collection", { name: "new", description: "" })

    control.set({ kind: "no locks", of: "nothing", at: 0 })
    const refused = { status: 503, msg: sentences.diskFull }
    expect(await save()).toMatchObject(refused)
    const asked = control.made()
    for (let n = 0; n < 10; n++) {
      expect(await save()).toMatchObject(refused)
      expect((await fetch(`${target.url}/healthz`)).status).toBe(200)
    }
    expect(control.made()).toBe(asked)

    control.set({ kind: "none", of: "nothing", at: 0 })
    await expect.poll(async () => (await save()).status, { timeout: waitTimeoutMs }).toBe(201)
    server.child.kill("SIGKILL")
    await server.ended
  },
)
