import type { ConnectionOptions } from "node:tls"
import { password, type TestApp, testApp } from "@envkeep/testing/app.ts"
import { certificate, type MailServer, startMailServer } from "@envkeep/testing/mail-server.ts"
import { person } from "@envkeep/testing/person.ts"
import { expect, onTestFinished, test } from "vitest"
import { sendMail } from "./send.ts"
import { readSmtpUrl } from "./settings.ts"

const settings = (url: string) => ({ SMTP_URL: url, PUBLIC_URL: "https://env.example.com" })

type MailServerOptions = NonNullable<Parameters<typeof startMailServer>[0]>

async function mailServer(options?: MailServerOptions): Promise<MailServer> {
  const server = await startMailServer(options)
  onTestFinished(server.close)
  return server
}

/** From a new browser, so that there is a mail about it. */
const logIn = (app: TestApp, email: string) => person(app.app).post("/users/login", { email, password })

async function send(
  url: string,
  { sender = "envkeep@env.example.com", ...more }: { tls?: ConnectionOptions; hostname?: string; sender?: string } = {},
): Promise<string> {
  const server = readSmtpUrl(url)
  if (server === undefined) throw new Error(`${url} is no address of a mail server`)
  const from = { name: "Envkeep", address: sender }
  const mail = { messageId: "1", from, to: "ann@example.com", subject: "Hello", text: "Hello", html: "<p>Hello</p>" }
  const sending = { server, hostname: "env.example.com", timeoutMs: 10_000, answerTimeoutMs: 10_000, ...more }
  return (await sendMail(mail, sending, new AbortController().signal)) ?? "sent"
}

test("with a user name and a password, and TLS", async () => {
  const login = { user: "envkeep@example.com", password: "p@ss/word:%41" }
  const written = `${encodeURIComponent(login.user)}:${encodeURIComponent(login.password)}`
  const trusted = { tls: { ca: certificate, servername: "localhost" } }
  // On this machine: with TLS if it is offered.
  const local = await mailServer({ login })
  expect(await send(`smtp://${written}@127.0.0.1:${local.port}`)).toBe("sent")
  expect(await send(`smtp://${encodeURIComponent(login.user)}:wrong@127.0.0.1:${local.port}`)).toBe("login")
  expect(local.received).toMatchObject([{ isSecure: true, user: login.user }])
  const plain = await mailServer({ disabledCommands: ["STARTTLS"], allowInsecureAuth: true, login })
  expect(await send(`smtp://${written}@127.0.0.1:${plain.port}`)).toBe("sent")
  expect(plain.received).toMatchObject([{ isSecure: false, user: login.user }])

  // Elsewhere: not without TLS, unless the operator says so, and not without a good certificate.
  const elsewhere = (server: MailServer, more = "") => `smtp://${written}@0.0.0.0:${server.port}${more}`
  expect(await send(elsewhere(plain))).toBe("tls")
  expect(await send(elsewhere(plain, "?tls=off"))).toBe("sent")
  expect(await send(elsewhere(local))).toBe("tls")
  expect(await send(elsewhere(local), trusted)).toBe("sent")
  const secure = await mailServer({ secure: true, login })
  expect(await send(`smtps://${written}@127.0.0.1:${secure.port}`)).toBe("tls")
  expect(await send(`smtps://${written}@127.0.0.1:${secure.port}`, trusted)).toBe("sent")
  expect(secure.received).toMatchObject([{ isSecure: true, user: login.user }])
  expect([plain.received.length, local.received.length]).toEqual([2, 2])
})

test("the server introduces itself with the host of PUBLIC_URL, before and after TLS has begun", async () => {
  for (const disabledCommands of [["AUTH"], ["AUTH", "STARTTLS"]]) {
    const server = await mailServer({ disabledCommands })
    const app = await testApp({ env: { ...settings(server.url), PUBLIC_URL: "https://env.example.com:8443" } })
    await logIn(app, (await app.user()).email)
    await app.sendMail()
    const isSecure = !disabledCommands.includes("STARTTLS")
    expect(server.received).toMatchObject([{ greeting: "env.example.com", isSecure }])
  }

  const local = await mailServer()
  for (const [address, greeting] of [
    ["https://bücher.example", "xn--bcher-kva.example"],
    ["http://192.0.2.7:3000", "[192.0.2.7]"],
    ["http://[2001:db8::7]", "[ipv6:2001:db8::7]"],
  ] as const) {
    expect(await send(local.url, { hostname: new URL(address).hostname })).toBe("sent")
    expect(local.received.at(-1)?.greeting).toBe(greeting)
  }
})

test("a sender's domain with letters beyond ASCII leaves none in the headers, and a literal stays as it is", async () => {
  const server = await mailServer()
  for (const [sender, domain] of [
    ["env@bücher.example", "xn--bcher-kva.example"],
    ["env@[192.0.2.7]", "[192.0.2.7]"],
  ] as const) {
    expect(await send(server.url, { sender })).toBe("sent")
    const { headers } = server.received.at(-1) ?? {}
    expect(headers?.get("message-id")).toBe(`<1@${domain}>`)
    expect(headers?.get("from")).toContain(`env@${domain}`)
  }
})

test("a mail server that hangs, says nonsense or refuses mails holds nothing else up", async () => {
  const hanging = await mailServer({ onConnect: () => undefined })
  const app = await testApp({ env: settings(hanging.url), mail: { timeoutMs: 300 } })
  const ann = await app.user()
  await logIn(app, ann.email)
  const sending = app.sendMail()
  expect((await ann.get("/collection")).status).toBe(200)
  expect((await app.guest.post("/users/password/forgot", { email: ann.email })).status).toBe(200)
  await sending
  const faultsOf = async ({ db }: TestApp) =>
    (await db.selectFrom("mail").select("fault").where("fault", "is not", null).execute()).map(({ fault }) => fault)
  expect(await faultsOf(app)).toEqual(["timeout"])

  const silent = await mailServer({ onData: (stream) => void stream.resume() })
  const waiting = await testApp({ env: settings(silent.url), mail: { answerTimeoutMs: 300 } })
  await logIn(waiting, (await waiting.user()).email)
  await waiting.sendMail()
  expect(await faultsOf(waiting)).toEqual(["timeout"])

  const refuseWith = (responseCode: number) => async () => {
    const server = await mailServer({
      onData(stream, _, done) {
        stream.resume()
        stream.on("end", () => done(Object.assign(new Error("not now, ann@example.com"), { responseCode })))
      },
    })
    const one = await testApp({ env: settings(server.url) })
    await logIn(one, (await one.user()).email)
    await one.sendMail()
    return { faults: await faultsOf(one), log: one.log.join("\n") }
  }
  for (const status of [451, 554]) {
    const { faults, log } = await refuseWith(status)()
    expect(faults).toEqual([`refused ${status}`])
    expect(log).not.toContain("not now")
  }
})

test("stopping the server ends a mail that is being sent, and it is sent again later", async () => {
  const begun = Promise.withResolvers<void>()
  const handedOver = Promise.withResolvers<void>()
  for (const [options, until] of [
    [{ onConnect: () => begun.resolve() }, begun],
    // It waits for an answer, for minutes if need be.
    [{ onData: (stream) => void stream.resume().on("end", handedOver.resolve) }, handedOver],
  ] satisfies [MailServerOptions, PromiseWithResolvers<void>][]) {
    const hanging = await mailServer(options)
    const app = await testApp({ env: settings(hanging.url) })
    const ann = await app.user()
    await logIn(app, ann.email)
    const sending = app.sendMail()
    await until.promise
    await app.close()
    await sending
    const server = await mailServer()
    const next = await testApp({ env: settings(server.url), location: app.location })
    await next.sendMail()
    expect(server.received.map(({ to }) => to)).toEqual([ann.email])
  }
})
