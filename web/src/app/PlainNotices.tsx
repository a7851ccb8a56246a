import { CloseButton } from "@mantine/core"
import { type NotificationData, notifications, useNotifications } from "@mantine/notifications"
import { useEffect } from "react"

/** Shows messages while what shows them well cannot be loaded. Most of them say that the server cannot be reached. */
export function PlainNotices() {
  const { notifications: shown } = useNotifications()
  return (
    <div className="notifications plain-notices" data-position="top-center">
      {shown.map((notice) => (
        <PlainNotice key={notice.id} notice={notice} />
      ))}
    </div>
  )
}

function PlainNotice({ notice }: { notice: NotificationData }) {
  const { id = "", message, className, autoClose, onFocusCapture, onBlurCapture } = notice
  useEffect(() => {
    if (typeof autoClose !== "number") return
    const timer = setTimeout(() => notifications.hide(id), autoClose)
    return () => clearTimeout(timer)
  }, [id, autoClose])
  return (
    <div
      role="alert"
      className={`plain-notice ${className}`}
      onFocusCapture={onFocusCapture}
      onBlurCapture={onBlurCapture}
    >
      <span className="plain-notice__message">{message}</span>
      <CloseButton size="sm" aria-label="Dismiss" onClick={() => notifications.hide(id)} />
    </div>
  )
}
