import { notifications, notificationsStore } from "@mantine/notifications"

type NotificationKind = "success" | "error" | "warning" | "info"

const colors: Record<NotificationKind, string> = { success: "green", error: "red", warning: "yellow", info: "keep" }

/** Errors and warnings stay longer, because they take longer to read. */
const autoCloseMs: Record<NotificationKind, number> = { success: 4_000, info: 4_000, warning: 8_000, error: 8_000 }

/** Within this time the same message comes from calls that failed together, and is shown once. */
const duplicateWindowMs = 500

/** The id and time at which each message was last shown. */
const lastShown = new Map<string, { id: string; at: number }>()

/**
 * Shows a message, and never twice at the same time. A repeated message replaces the first one under a new id, so that
 * screen readers announce it again and it stays for the full time.
 */
function show(kind: NotificationKind, message: string): void {
  const key = `${kind}: ${message}`
  const at = Date.now()
  const before = lastShown.get(key)
  if (before !== undefined && isShown(before.id)) {
    if (at - before.at < duplicateWindowMs) return
    notifications.hide(before.id)
  }
  const id = `${key} ${at}`
  lastShown.set(key, { id, at })
  notifications.show({
    id,
    message,
    color: colors[kind],
    autoClose: autoCloseMs[kind],
    className: `notification notification--${kind}`,
    closeButtonProps: { "aria-label": "Dismiss" },
  })
}

function isShown(id: string): boolean {
  const { notifications: shown, queue } = notificationsStore.getState()
  return [...shown, ...queue].some((one) => one.id === id)
}

export const notify = {
  success: (message: string) => show("success", message),
  error: (message: string) => show("error", message),
  warning: (message: string) => show("warning", message),
  info: (message: string) => show("info", message),
}
