import { readFileSync } from "node:fs"
import { join } from "node:path"
import { settingNames } from "@envkeep/server/config.ts"
import { shutdownTimeoutMs } from "@envkeep/server/start/shutdown.ts"
import { expect, test } from "vitest"
import { parse } from "yaml"
import { environmentOf, execForm, parseDockerfile } from "./dockerfile.ts"

// What the files of a deployment say, held against the product. What the image does is tried by `scripts/image.ts`, the
// proxy by its own test.

const read = (path: string) => readFileSync(join(import.meta.dirname, "..", path), "utf8")
const json = (path: string) => JSON.parse(read(path))

interface Service {
  image: string
  read_only?: boolean
  cap_drop?: string[]
  security_opt: string[]
  tmpfs?: string[]
  ports?: string[]
  volumes?: string[]
  environment: Record<string, string>
  healthcheck?: { test: string[] }
  depends_on?: Record<string, { condition: string }>
  networks?: string[]
  restart: string
  stop_grace_period: string
}

interface Compose {
  services: Record<string, Service>
  volumes: Record<string, null>
  networks?: Record<string, { internal?: boolean } | null>
}

const compose = (path: string): Compose => parse(read(path), { merge: true })
const settings: readonly string[] = settingNames
/** How long the server waits for what is in flight. */
const stopPatience = shutdownTimeoutMs / 1000

test("the image has the pinned Node, every manifest, and runs as a user by number", () => {
  const stages = parseDockerfile(read("Dockerfile"))
  const { workspaces, devDependencies } = json("package.json")
  const [manifests, ...later] = stages
  const final = stages.at(-1) ?? { name: "", from: "", steps: [] }
  expect(manifests?.from).toBe(`node:${devDependencies.node}-bookworm-slim`)
  expect(final.from).toBe(manifests?.from)
  const copied = manifests?.steps.filter(({ word }) => word === "COPY").map(({ rest }) => rest)
  for (const folder of workspaces) expect(copied).toContain(`${folder}/package.json ${folder}/`)
  expect(later.map(({ name, from }) => [name, from]).slice(0, 2)).toEqual([
    ["build", "manifests"],
    ["dependencies", "manifests"],
  ])
  const said = (word: string) => final.steps.filter((step) => step.word === word).map(({ rest }) => rest)
  expect(said("USER")).toEqual(["10001:10001"])
  expect(said("VOLUME")).toEqual(["/data"])
  expect(said("LABEL").join()).toContain(`version="${json("server/package.json").version}"`)
  expect(execForm(final, "ENTRYPOINT")).toEqual([
    "node",
    "--expose-gc",
    "--min-semi-space-size=8",
    "--max-semi-space-size=8",
    "/app/server/dist/main.js",
  ])
  const given = Object.keys(environmentOf(final)).filter((name) => !name.startsWith("NODE_"))
  expect(settings).toEqual(expect.arrayContaining(given))
})

test.each([
  ["compose.yaml", ["envkeep"]],
  ["compose.postgres.yaml", ["envkeep-1", "envkeep-2"]],
])("%s: the server may write nowhere but where it must, and is reached by the proxy alone", (file, names) => {
  const { services, volumes } = compose(file)
  for (const name of names) {
    const service = services[name] as Service
    expect(service).toMatchObject({
      image: "envkeep",
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
      restart: "unless-stopped",
    })
    expect(Number.parseInt(service.stop_grace_period, 10)).toBeGreaterThan(stopPatience)
    expect(service.ports?.every((port) => /^127\.0\.0\.1:\d+:3000$/.test(port))).toBe(true)
    expect(settings).toEqual(expect.arrayContaining(Object.keys(service.environment)))
    for (const volume of service.volumes ?? []) expect(Object.keys(volumes)).toContain(volume.split(":")[0])
    // The data folder is there in either way: kept, or not needed.
    expect([...(service.volumes ?? []), ...(service.tmpfs ?? [])].join(" ")).toMatch(/(^| |data:)\/data/)
  }
})

test("compose.postgres.yaml: nodes wait for the database, which nobody else reaches; secrets must be given", () => {
  const { services, networks } = compose("compose.postgres.yaml")
  const { postgres, ...nodes } = services
  expect(postgres?.healthcheck?.test[1]).toBe("pg_isready")
  expect(postgres?.ports).toBeUndefined()
  expect([postgres?.networks, networks?.["database"]?.internal]).toEqual([["database"], true])
  expect(postgres?.environment["POSTGRES_PASSWORD"]).toMatch(/^\$\{POSTGRES_PASSWORD:\?/)
  expect(new Set(Object.values(nodes).flatMap(({ ports }) => ports)).size).toBe(2)
  for (const { depends_on, environment } of Object.values(nodes)) {
    expect(depends_on?.["postgres"]?.condition).toBe("service_healthy")
    expect(environment["ENVKEEP_ROOT_KEY"]).toMatch(/^\$\{ENVKEEP_ROOT_KEY:\?/)
    expect(environment["DATABASE_URL"]).toMatch(
      /^postgres:\/\/envkeep:\$\{POSTGRES_PASSWORD:\?[^}]+\}@postgres:5432\/envkeep$/,
    )
  }
})

test("the systemd unit starts what was built, waits long enough, and gives up only where a person is needed", () => {
  const unit = read("deploy/envkeep.service")
  const value = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(unit)?.[1] ?? ""
  expect(value("ExecStart")).toMatch(/^\/opt\/envkeep\/node_modules\/node\/bin\/node .*server\/dist\/main\.js$/)
  expect(Number(value("TimeoutStopSec"))).toBeGreaterThan(stopPatience)
  expect(value("RestartPreventExitStatus").split(" ")).toEqual(["2", "74", "78"])
  expect([value("DynamicUser"), value("ProtectSystem"), value("NoNewPrivileges")]).toEqual(["yes", "strict", "yes"])
  expect(unit).toContain("Environment=ENVKEEP_DATA_DIR=/var/lib/envkeep\n")
})

test("the alerts ask for metrics and labels that there are", () => {
  const guide = read("docs/self-hosting.md")
  const listed = Array.from(guide.matchAll(/^\| `(envkeep_[a-z_]+)` \|/gm), (match) => match[1])
  const { groups } = parse(read("deploy/envkeep-alerts.yaml")) as { groups: { rules: { expr: string }[] }[] }
  const expressions = groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)).join("\n")
  const asked = Array.from(expressions.matchAll(/envkeep_[a-z_]+/g), ([name]) => name.replace(/_bucket$/, ""))
  expect(asked.length).toBeGreaterThan(4)
  expect(listed).toEqual(expect.arrayContaining(asked))
  const [{ job_name }] = parse(read("deploy/prometheus.yaml")).scrape_configs
  expect(expressions).toContain(`job="${job_name}"`)
})
