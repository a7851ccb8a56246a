import { notifications, notificationsStore } from "@mantine/notifications"

type NotificationKind = "success" | "error" | "warning" | "info"

const colors: Record<NotificationKind, string> = { success: "green", error: "red", warning: "yellow", info: "keep" }

/** Errors stay longer: they are read, not glanced at. */
const closesAfter: Record<NotificationKind, number> = { success: 4_000, info: 4_000, warning: 8_000, error: 8_000 }

/** The same sentence within this time comes from calls that failed together: it is said once. */
const together = 500

/** When and as what each sentence was last shown. */
const last = new Map<string, { id: string; at: number }>()

/**
 * Shows a sentence, once at a time. When it comes again it takes the place of the one before under an id of its own, so
 * that it is announced anew and stays as long as a first one.
 */
function show(kind: NotificationKind, message: string): void {
  const sentence = `${kind}: ${message}`
  const at = Date.now()
  const before = last.get(sentence)
  if (before !== undefined && isShown(before.id)) {
    if (at - before.at < together) return
    notifications.hide(before.id)
  }
  const id = `${sentence} ${at}`
  last.set(sentence, { id, at })
  notifications.show({
    id,
    message,
    color: colors[kind],
    autoClose: closesAfter[kind],
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
