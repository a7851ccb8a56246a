import { sentences } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { testOnce as test } from "@envkeep/testing/once.ts"
import { startReceiver } from "@envkeep/testing/receiver.ts"
import { expect } from "vitest"
import { addressPolicy } from "./addresses.ts"
import { isRefusedLiterally } from "./resolve.ts"
import { send } from "./send.ts"

const special = [
  ...["0.0.0.0", "10.1.2.3", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.0.1", "169.254.169.254"],
  ...["172.16.0.1", "172.31.255.255", "192.0.0.192", "192.168.1.1", "198.18.0.1", "224.0.0.1", "255.255.255.255"],
  ...["168.63.129.16", "::", "::1", "::127.0.0.1", "fe80::1", "fc00::1", "fd00:ec2::254", "ff02::1"],
  ...["::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::169.254.169.254"],
  ...["64:ff9b:1::1", "2002:7f00:1::", "2001::1", "2001:db8::1", "3fff::1", "not an address"],
]
const ordinary = ["1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1", "::ffff:8.8.8.8", "64:ff9b::808:808"]

test("only ordinary addresses of the internet are reached", () => {
  const policy = addressPolicy([])
  expect(special.filter((address) => policy.allows(address))).toEqual([])
  expect(ordinary.filter((address) => !policy.allows(address))).toEqual([])
})

test("the operator allows private addresses, some ranges, or hosts, and no more than that", () => {
  const allPrivate = addressPolicy(["private"])
  const allowed = ["10.1.2.3", "127.0.0.1", "::1", "fd00:ec2::254", "::ffff:192.168.0.1", "100.64.0.1"]
  expect(allowed.filter((address) => !allPrivate.allows(address))).toEqual([])
  expect(["169.254.169.254", "fe80::1", "0.0.0.0", "224.0.0.1"].filter(allPrivate.allows)).toEqual([])
  const some = addressPolicy(["10.1.0.0/16", "fd00::/8", "Hooks.internal"])
  expect(["10.1.2.3", "fd00::1", "10.2.0.1", "fc00::1"].map(some.allows)).toEqual([true, true, false, false])
  expect([some.trusts("hooks.INTERNAL"), some.trusts("other.internal")]).toEqual([true, false])
})

test("addresses in any spelling are refused when a webhook is saved", async () => {
  const ann = await (await testApp()).user()
  const { id } = await ann.collection()
  const hosts = [
    ...["127.0.0.1", "0x7f.1", "0177.0.0.1", "2130706433", "127.1", "[::ffff:127.0.0.1]", "[::1]", "localhost"],
    ...["LOCALHOST.", "a.localhost", "169.254.169.254", "10.0.0.1:8080", "[64:ff9b::7f00:1]", "１２７.0.0.1"],
  ]
  for (const host of hosts) {
    const answer = await ann.post(`/collections/${id}/webhooks`, { url: `http://${host}/` })
    expect([host, answer.status, answer.body.msg]).toEqual([host, 400, sentences.webhookAddressRefused])
  }
  expect(isRefusedLiterally(new URL("http://example.com/"), addressPolicy([]))).toBe(false)
})

test("a name is resolved once, all its addresses are checked, and the connection goes to one of these", async () => {
  const receiver = await startReceiver()
  const url = new URL(`http://hooks.example.com:${receiver.port}/`)
  const letter = { url, headers: {}, body: "{}" }
  const never = new AbortController().signal
  const sendWith = (allow: string[], ...answers: string[][]) => {
    let asked = 0
    const resolve = async () => answers[asked++] ?? []
    const sender = { policy: addressPolicy(allow), resolve, timeoutMs: 10_000 }
    return send(letter, sender, never).then((sent) => ({ ...sent, asked }))
  }
  // With a second answer that must not be used: the first is a public address where no one listens in a test.
  expect(await sendWith(["127.0.0.1"], ["127.0.0.1"], ["127.0.0.2"])).toEqual({ status: 204, fault: null, asked: 1 })
  expect(receiver.received[0]?.headers.host).toBe(`hooks.example.com:${receiver.port}`)
  const refused = { status: null, fault: "address_refused", asked: 1 }
  expect(await sendWith([], ["127.0.0.1"])).toEqual(refused)
  expect(await sendWith([], ["1.1.1.1", "127.0.0.1"])).toEqual(refused)
  expect(await sendWith([], ["::ffff:127.0.0.1"])).toEqual(refused)
  expect(await sendWith([], [])).toEqual({ status: null, fault: "unknown_host", asked: 1 })
  expect(receiver.received).toHaveLength(1)
})
