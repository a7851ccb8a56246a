import { existsSync, globSync, readFileSync } from "node:fs"
import { join, matchesGlob } from "node:path"
import { settingNames } from "@envkeep/server/config.ts"
import { shutdownTimeoutMs } from "@envkeep/server/start/shutdown.ts"
import { newestVersion } from "@envkeep/testing/machine/postgres-17.ts"
import { expect, test } from "vitest"
import { parse } from "yaml"

// The files of a deployment, checked against the product. `scripts/production.ts` starts what is deployed, the GitHub
// workflow builds and tries the image, and the proxy has a test of its own.

const root = join(import.meta.dirname, "..")
const read = (path: string) => readFileSync(join(root, path), "utf8")
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
/** Set in the Dockerfile. */
const ofTheImage = new Set(["HOST", "PORT", "ENVKEEP_DATA_DIR"])
/** How long a server may take to stop, as docs/self-hosting.md says: 2 seconds of draining, then 30 for open requests. */
const stopSeconds = 2 + shutdownTimeoutMs / 1000

test("the image is built on the pinned Node from files that are there, and does not run as root", () => {
  const dockerfile = read("Dockerfile")
  const { workspaces, devDependencies } = json("package.json")
  expect(dockerfile).toContain(`ARG NODE=node:${devDependencies.node}-`)
  expect(dockerfile).toContain(`image.version="${json("server/package.json").version}"`)
  expect(dockerfile).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m)

  const copied = Array.from(dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm), ([, paths = ""]) =>
    paths.split(" "),
  ).flat()
  expect(copied).toEqual(expect.arrayContaining(workspaces.map((name: string) => `${name}/package.json`)))
  for (const path of copied) expect([path, existsSync(join(root, path)), isIgnored(path)]).toEqual([path, true, false])
})

test("the sources reach the build of the image; secrets, data and what is installed here do not", () => {
  const { workspaces } = json("package.json")
  const sources = globSync(
    workspaces.flatMap((name: string) => [`${name}/package.json`, `${name}/**/*.{ts,tsx,css,html,js,svg}`]),
    { cwd: root, exclude: ["**/node_modules", "**/dist", "**/test-results", "**/playwright-report"] },
  )
  expect(sources).toContain("server/src/main.ts")
  expect(sources.filter(isIgnored)).toEqual([])
  for (const path of [
    ".env",
    ".git/config",
    "data/root.key",
    "root.key",
    "keys/new.key",
    "backups/2026-11-15.backup",
    "before-upgrade.backup",
    "node_modules/zod",
    "web/node_modules/x",
    "server/dist/x",
  ]) {
    expect(isIgnored(path), path).toBe(true)
  }
})

/** What .dockerignore keeps out, by the patterns that ours uses. */
function isIgnored(path: string): boolean {
  const patterns = read(".dockerignore").split("\n").filter(Boolean)
  return patterns.some((pattern) => matchesGlob(path, pattern) || matchesGlob(path, `${pattern}/**`))
}

test("the image and the systemd unit start the server as `npm start` does, without options for its memory", () => {
  expect(json("package.json").scripts.start).toBe("exec node scripts/start.cjs")
  const entrypoint: string[] = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(read("Dockerfile"))?.[1] ?? "[]")
  expect(entrypoint).toEqual(["node", "/app/server/dist/main.js"])
  const [node, ...unit] = /^ExecStart=(.*)$/m.exec(read("deploy/envkeep.service"))?.[1]?.split(" ") ?? []
  expect(unit).toEqual(["--disable-warning=ExperimentalWarning", "server/dist/main.js"])
  expect(existsSync(join(root, node?.replace("/opt/envkeep/", "") ?? ""))).toBe(true)
})

test("every setting that a file of a deployment names is one of the product", () => {
  for (const file of ["Dockerfile", "compose.yaml", "compose.postgres.yaml", ...globSync("deploy/*", { cwd: root })]) {
    const named = read(file).match(/\bENVKEEP_(?!OIDC_)[A-Z_]+/g) ?? []
    expect(settings, file).toEqual(expect.arrayContaining(named))
  }
})

test.each([
  ["compose.yaml", ["envkeep"]],
  ["compose.postgres.yaml", ["envkeep-1", "envkeep-2"]],
])("%s: the server may write only where it must, and only this machine reaches it", (file, names) => {
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
    expect(Number.parseInt(service.stop_grace_period, 10)).toBeGreaterThan(stopSeconds)
    expect(service.ports?.every((port) => /^127\.0\.0\.1:\d+:3000$/.test(port))).toBe(true)
    // One that is missing would be ignored without a word: a container sees nothing else of the file `.env`.
    expect(Object.keys(service.environment).toSorted()).toEqual(
      settings.filter((one) => !ofTheImage.has(one)).toSorted(),
    )
    for (const volume of service.volumes ?? []) expect(Object.keys(volumes)).toContain(volume.split(":")[0])
    // The data folder is a volume, or a temporary one where the database is elsewhere.
    expect([...(service.volumes ?? []), ...(service.tmpfs ?? [])].join(" ")).toMatch(/(^| |data:)\/data/)
  }
})

test("compose.postgres.yaml: nodes wait for the database, which only they reach; secrets must be given", () => {
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

test("compose.postgres.yaml: the version of PostgreSQL is one that the tests run on, and the guide says so", () => {
  expect(compose("compose.postgres.yaml").services["postgres"]?.image).toMatch(
    new RegExp(`^postgres:${newestVersion}-`),
  )
  for (const guide of ["docs/self-hosting.md", "docs/scaling.md"]) {
    expect(read(guide)).toMatch(new RegExp(`[Tt]ested with PostgreSQL 15 and ${newestVersion}\\b`))
  }
  expect(read(".github/workflows/ci.yml")).toContain(`npm run test:long -- postgres${newestVersion}`)
})

test("the systemd unit waits long enough, may write only its own folder, and gives up only where a person is needed", () => {
  const unit = read("deploy/envkeep.service")
  const value = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(unit)?.[1] ?? ""
  expect(Number(value("TimeoutStopSec"))).toBeGreaterThan(stopSeconds)
  expect(value("RestartPreventExitStatus").split(" ")).toEqual(["2", "74", "78"])
  expect([value("ProtectSystem"), value("NoNewPrivileges")]).toEqual(["strict", "yes"])
  expect(unit).toContain("Environment=ENVKEEP_DATA_DIR=/var/lib/envkeep\n")
})

test("the systemd unit has a user that is there when it does not run, and the guide's commands are that user's", () => {
  const unit = read("deploy/envkeep.service")
  const value = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(unit)?.[1]
  const user = value("User")
  expect(user).toMatch(/^[a-z]+$/)
  expect([value("Group"), value("DynamicUser")]).toEqual([user, undefined])

  const chapter = /^## With systemd\n(.*?)^## /ms.exec(read("docs/install.md"))?.[1] ?? ""
  expect(chapter).toMatch(new RegExp(`^useradd --system .* ${user}$`, "m"))
  const commands = chapter.split("\n").filter((line) => /npm run .*(admin|backup|restore) /.test(line))
  expect(commands.length).toBeGreaterThan(1)
  for (const line of commands) expect(line).toContain(`runuser -u ${user} -- npm run`)
})

test("the guide's commands in a container are those of the image's user", () => {
  const dockerfile = read("Dockerfile")
  const [, uid, gid] = /^USER (\d+):(\d+)$/m.exec(dockerfile) ?? []
  expect(dockerfile).toContain(`chown ${uid}:${gid} /data`)
  expect(read("compose.postgres.yaml")).toContain(`uid=${uid},gid=${gid}`)
  const guide = read("docs/install.md")
  expect(guide).toContain(`runs as user ${uid}`)
  expect(guide).toContain(`-o ${uid} -g ${gid} -m 700 backups`)
  for (const file of ["compose.yaml", "compose.postgres.yaml"]) {
    for (const service of Object.values(compose(file).services)) expect(service).not.toHaveProperty("user")
  }
  const commands = guide.match(/docker.* (exec|run) .*/g) ?? []
  expect(commands).not.toEqual([])
  for (const line of commands) expect(line).not.toMatch(/ (--user|-u) /)
})

// That their metrics exist is shown beside the metrics, on the page of a real server.
test("each alert says how severe it is and what to do, and asks for the job that Prometheus knows", () => {
  const { groups } = parse(read("deploy/envkeep-alerts.yaml")) as {
    groups: { rules: { expr: string; labels: { severity: string }; annotations: Record<string, string> }[] }[]
  }
  const rules = groups.flatMap(({ rules }) => rules)
  expect(new Set(rules.map(({ labels }) => labels.severity))).toEqual(new Set(["critical", "warning"]))
  for (const { annotations } of rules) expect(Object.keys(annotations)).toEqual(["summary", "action"])
  const [{ job_name }] = parse(read("deploy/prometheus.yaml")).scrape_configs
  expect(rules.map(({ expr }) => expr).join("\n")).toContain(`job="${job_name}"`)
})
