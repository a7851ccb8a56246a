import { Notifications } from "@mantine/notifications"

/** Where messages are shown: in the free part of the bar. */
export function NoticeArea() {
  return <Notifications position="top-center" className="notifications" />
}
