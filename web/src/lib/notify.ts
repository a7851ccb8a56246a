import { notifications } from "@mantine/notifications"

export type NotificationKind = "success" | "error" | "warning" | "info"

const colors: Record<NotificationKind, string> = { success: "green", error: "red", warning: "yellow", info: "keep" }

/** Errors stay longer: they are read, not glanced at. */
const closesAfter: Record<NotificationKind, number> = { success: 4_000, info: 4_000, warning: 8_000, error: 8_000 }

/** Shows a sentence. The same sentence is shown once at a time, however many calls failed for the same reason. */
function show(kind: NotificationKind, message: string): void {
  notifications.show({
    id: `${kind}: ${message}`,
    message,
    color: colors[kind],
    autoClose: closesAfter[kind],
    className: `notification notification--${kind}`,
    closeButtonProps: { "aria-label": "Dismiss" },
  })
}

export const notify = {
  success: (message: string) => show("success", message),
  error: (message: string) => show("error", message),
  warning: (message: string) => show("warning", message),
  info: (message: string) => show("info", message),
}
