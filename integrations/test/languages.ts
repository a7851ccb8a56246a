import { spawn, spawnSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { recordLines, registerSecret } from "@envkeep/testing/leaks.ts"
import { expect, onTestFinished } from "vitest"
import { pathOf, temporaryFolder, world } from "./world.ts"

// The code of docs/clients.md, each with a few lines that call it once for every line of standard input and print what
// came of it: `changed`, `same`, `refused` or `away`, and the value that the program then has.

const page = readFileSync(pathOf("../docs/clients.md"), "utf8")

export interface Language {
  fence: string
  /** What must be there to run it. */
  needs: string[]
  file: string
  driver: string
  /** A driver that goes into a file of its own. */
  driverFile?: string
  start: (file: string) => string[]
  isCompiled?: true
}

const jackson = ["core", "databind", "annotations"].map((part) => `/usr/share/java/jackson-${part}.jar`)

const shell = (name: string): Language => ({
  fence: "sh",
  needs: [name, "curl"],
  file: "client.sh",
  driver: `while read -r _; do
  before=$(cat app.env.etag 2>/dev/null)
  refresh app.env
  case $? in 2) said=refused ;; 1) said=away ;; *) [ "$before" = "$(cat app.env.etag)" ] && said=same || said=changed ;; esac
  printf '%s %s\\n' "$said" "$(. ./app.env; printf %s "$GREETING")"
done`,
  start: (file) => [name, file],
})

export const languages: Language[] = [
  ...["sh", "bash", "dash"].map(shell),
  {
    fence: "python",
    needs: ["python3"],
    file: "client.py",
    driver: `
import sys
env = Envkeep()
for line in sys.stdin:
    try:
        said = "changed" if env.refresh() else "same"
    except KeyRefused:
        said = "refused"
    except OSError:
        said = "away"
    print(said, env.values.get("GREETING"), flush=True)`,
    start: (file) => ["python3", file],
  },
  {
    fence: "go",
    needs: ["go"],
    isCompiled: true,
    file: "client.go",
    driverFile: "main.go",
    driver: `package main

import ("bufio"; "errors"; "fmt"; "os")

func main() {
	env := Envkeep{}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		changed, err := env.Refresh()
		said := map[bool]string{true: "changed", false: "same"}[changed]
		if errors.Is(err, ErrKeyRefused) { said = "refused" } else if err != nil { said = "away" }
		fmt.Println(said, env.Values["GREETING"])
	}
}`,
    start: (file) => ["go", "run", file, join(file, "../main.go")],
  },
  {
    fence: "ruby",
    needs: ["ruby"],
    file: "client.rb",
    driver: `
$stdout.sync = true
env = Envkeep.new
$stdin.each_line do
  said = begin
    env.refresh ? "changed" : "same"
  rescue Envkeep::KeyRefused
    "refused"
  rescue SystemCallError
    "away"
  end
  puts "#{said} #{env.values["GREETING"]}"
end`,
    start: (file) => ["ruby", file],
  },
  {
    fence: "php",
    needs: ["php"],
    file: "client.php",
    driver: `
$env = new Envkeep();
while (fgets(STDIN) !== false) {
    try { $said = $env->refresh() ? "changed" : "same"; }
    catch (KeyRefused) { $said = "refused"; }
    catch (RuntimeException) { $said = "away"; }
    echo $said, " ", $env->values["GREETING"], "\\n";
}`,
    start: (file) => ["php", file],
  },
  {
    fence: "java",
    needs: ["javac", ...jackson],
    isCompiled: true,
    file: "Client.java",
    driver: `
class Client {
    public static void main(String[] args) throws Exception {
        var env = new Envkeep();
        var lines = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        while (lines.readLine() != null) {
            String said;
            try { said = env.refresh() ? "changed" : "same"; }
            catch (Envkeep.KeyRefused error) { said = "refused"; }
            catch (IOException error) { said = "away"; }
            System.out.println(said + " " + env.values.get("GREETING"));
        }
    }
}`,
    start: (file) => [
      "sh",
      "-c",
      'javac -cp "$1" -d "$(dirname "$2")" "$2" && exec java -cp "$1:$(dirname "$2")" Client',
      "sh",
      jackson.join(":"),
      file,
    ],
  },
]

const crates = "/usr/share/cargo/registry"
languages.push({
  fence: "rust",
  needs: ["cargo", join(crates, "ureq-2.6.2")],
  isCompiled: true,
  file: "client.rs",
  driver: `
fn main() {
    let mut env = Envkeep::default();
    for _ in std::io::stdin().lines() {
        let said = match env.refresh() {
            Ok(true) => "changed",
            Ok(false) => "same",
            Err(Failure::KeyRefused) => "refused",
            Err(Failure::Other(_)) => "away",
        };
        println!("{said} {}", env.values["GREETING"]);
    }
}`,
  start: () => ["sh", "-c", rustProject],
})

/** Debian's packages instead of the registry, and without TLS, which takes long to compile. */
const rustProject = `mkdir .cargo
printf '[source.crates-io]\nreplace-with = "debian"\n[source.debian]\ndirectory = "${crates}"\n' >.cargo/config.toml
printf '[package]\nname = "client"\nversion = "0.1.0"\nedition = "2021"\n[[bin]]\nname = "client"\npath = "client.rs"\n' >Cargo.toml
printf '[dependencies]\nureq = { version = "2", default-features = false, features = ["json"] }\n' >>Cargo.toml
exec cargo run --quiet --offline`

const isThere = (need: string) =>
  need.startsWith("/") ? existsSync(need) : spawnSync("sh", ["-c", `command -v ${need}`]).status === 0
/** Those that this machine can run. */
export const present = languages.filter(({ needs }) => needs.every(isThere))

/** It reads, keeps what is unchanged, follows a change, and survives failures. */
export async function expectToFollow(language: Language): Promise<void> {
  const first = `it's "quoted"`
  const made = await world({ GREETING: first, OTHER: "line one\nline two" })
  const said = await drive(language, { ENVKEEP_URL: made.url, ENVKEEP_KEY: made.key })
  expect(await said()).toBe(`changed ${first}`)
  expect(await said()).toBe(`same ${first}`)
  await made.save({ GREETING: "second-greeting" })
  expect(await said()).toBe("changed second-greeting")
  expect(await said()).toBe("same second-greeting")
  await made.ann.delete(`/api-key/${made.keyId}`)
  expect(await said()).toBe("refused second-greeting")
  await made.close()
  expect(await said()).toBe("away second-greeting")
}

export function codeOf(fence: string): string {
  return new RegExp(`^\`\`\`${fence}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(page)?.[1] ?? ""
}

/** Starts the program. Each call asks it for one more round. */
async function drive({ fence, file, driver, driverFile, start }: Language, env: Record<string, string>) {
  registerSecret("an API key", env["ENVKEEP_KEY"] ?? "")
  const folder = await temporaryFolder()
  const path = join(folder, file)
  writeFileSync(path, driverFile === undefined ? `${codeOf(fence)}\n${driver}\n` : codeOf(fence))
  if (driverFile !== undefined) writeFileSync(join(folder, driverFile), driver)
  const [program = "", ...args] = start(path)
  // Compilers want a home for their caches.
  const inherited = { PATH: process.env["PATH"], HOME: process.env["HOME"] }
  const child = spawn(program, args, { cwd: folder, env: { ...inherited, ...env } })
  onTestFinished(() => void child.kill("SIGKILL"))
  let errors = ""
  child.stderr.on("data", recordLines(`standard error of ${program}`))
  child.stderr.on("data", (piece) => {
    errors += piece
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return async () => {
    child.stdin.write("\n")
    const { value, done } = await lines.next()
    if (done) throw new Error(`it ended: ${errors}`)
    return value
  }
}
