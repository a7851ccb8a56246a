import { notificationsStore } from "@mantine/notifications"
import { type ComponentType, useEffect, useState } from "react"
import { PlainNotices } from "./PlainNotices.tsx"
import { loadNotices } from "./screens.ts"

/** Loads what shows messages with the first of them. If that fails, they are shown plainly, and the next one tries again. */
export function Notices() {
  const [Area, setArea] = useState<ComponentType>()
  useEffect(() => {
    const load = () => {
      if (notificationsStore.getState().notifications.length === 0) return
      loadNotices().then(
        (loaded) => setArea(() => loaded),
        () => setArea((before: ComponentType | undefined) => before ?? PlainNotices),
      )
    }
    load()
    return notificationsStore.subscribe(load)
  }, [])
  return Area !== undefined && <Area />
}
