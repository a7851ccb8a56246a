import "./styles.ts"
import { noticeMs } from "../lib/notice-kinds.ts"
import { onSessionAnnounced } from "../lib/other-tabs.ts"
import { type copySentences, writeClipboard } from "../lib/write-clipboard.ts"
import { handleScheme } from "./scheme.ts"

// Everything that the landing page does by script, for guests. Its links are ordinary links into the app.

handleScheme()
handleMenu()
handleCopying()
correctOrigin()
leaveWhenSignedIn()
loadAppBeforeUse()

function handleMenu(): void {
  const menu = document.querySelector<HTMLDialogElement>("dialog")
  if (!("command" in HTMLButtonElement.prototype)) {
    document.querySelector('[command="show-modal"]')?.addEventListener("click", () => menu?.showModal())
    document.querySelector('[command="close"]')?.addEventListener("click", () => menu?.close())
  }
  // In a wider window the links are in the bar again.
  matchMedia("(max-width: 768px)").addEventListener("change", ({ matches }) => !matches && menu?.close())
  // "Home" in the menu leads to this page, which may come back as it was left.
  menu?.addEventListener("click", ({ target }) => target instanceof Element && target.closest("a") && menu.close())
}

function handleCopying(): void {
  for (const button of document.querySelectorAll(".code-sample__copy")) {
    button.addEventListener("click", async () => {
      const code = button.parentElement?.querySelector("pre")?.textContent ?? ""
      notify((await writeClipboard(code)) ? "success" : "error")
    })
  }
}

/** Shows one message at a time. */
function notify(kind: keyof typeof copySentences): void {
  const template = document.querySelector<HTMLTemplateElement>(`template[data-notice="${kind}"]`)
  const notice = template?.content.cloneNode(true).firstChild
  if (!(notice instanceof HTMLElement)) return
  notice.querySelector("button")?.addEventListener("click", () => notice.remove())
  document.querySelector(".notifications > div")?.replaceChildren(notice)
  setTimeout(() => notice.remove(), noticeMs[kind])
}

/** The server wrote the address of its settings, or an example. What counts here is the one that the visitor used. */
function correctOrigin(): void {
  const written = document.querySelector<HTMLMetaElement>('meta[name="envkeep-origin"]')?.content
  if (written === undefined || written === location.origin) return
  for (const link of document.querySelectorAll(`a[href="mailto:admin@${new URL(written).hostname}"]`)) {
    link.setAttribute("href", `mailto:admin@${location.hostname}`)
  }
  for (const token of document.querySelectorAll("pre span")) {
    if (token.textContent?.includes(written)) token.textContent = token.textContent.replaceAll(written, location.origin)
  }
}

/** A user who signed in on another page or in another tab gets the app, which the server sends them. */
function leaveWhenSignedIn(): void {
  onSessionAnnounced(reloadIfSignedIn)
  addEventListener("pageshow", ({ persisted }) => persisted && reloadIfSignedIn())
}

async function reloadIfSignedIn(): Promise<void> {
  try {
    const { data } = await (await fetch("/api/users/me")).json()
    if (data) location.reload()
  } catch {
    // The next page says that the server cannot be reached.
  }
}

/** Loads the app when a visitor is about to open it, so that it is there a little earlier. */
function loadAppBeforeUse(): void {
  const files = document.querySelector<HTMLElement>("script[data-app]")?.dataset["app"]?.split(" ") ?? []
  const done = new AbortController()
  const load = ({ target }: Event) => {
    if (!(target instanceof Element && target.closest('a[href="/login"], a[href="/register"]'))) return
    done.abort()
    for (const href of files) {
      const link = document.createElement("link")
      // A browser warns about a style sheet that is preloaded and not used at once.
      Object.assign(link, { rel: href.endsWith(".css") ? "prefetch" : "modulepreload", href })
      document.head.append(link)
    }
  }
  for (const event of ["pointerover", "touchstart", "focusin"]) {
    document.addEventListener(event, load, { passive: true, signal: done.signal })
  }
}
