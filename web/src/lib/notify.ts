import { type NotificationData, notifications, notificationsStore } from "@mantine/notifications"
import { createElement, type FocusEvent } from "react"
import { type NoticeKind, noticeColors, noticeMs } from "./notice-kinds.ts"
import { UndoMessage } from "./UndoMessage.tsx"

/** Time to notice a mistake and to reach the button. */
const undoMs = 12_000

/** Within this time the same message comes from calls that failed together, and is shown once. */
const duplicateWindowMs = 500

/** The navigation bar has space for one message, in a wide window for two. */
const shownAtOnce = () => (matchMedia("(max-width: 1099px)").matches ? 1 : 2)

/** Takes back what a message reports. */
export type Undo = () => unknown

interface ShowOptions {
  topic?: string | undefined
  undo?: Undo | undefined
}

/** The id and time at which each message was last shown, and what it is about. */
const lastShown = new Map<string, { id: string; at: number; topic: string | undefined }>()

/**
 * Shows a message, and never twice at the same time. A repeated message replaces the first one under a new id, so that
 * screen readers announce it again and it stays for the full time.
 */
function show(kind: NoticeKind, message: string, { topic, undo }: ShowOptions = {}): void {
  const key = `${kind}: ${message}`
  const at = Date.now()
  const before = lastShown.get(key)
  if (before !== undefined && isShown(before.id)) {
    if (at - before.at < duplicateWindowMs) return
    notifications.hide(before.id)
  }
  const id = `${key} ${at}`
  lastShown.set(key, { id, at, topic })
  makeSpace()
  if (undo !== undefined) undos.set(id, undo)
  showKeepingFocus({
    id,
    message: undo === undefined ? message : createElement(UndoMessage, { message, onUndo: () => takeBack(id) }),
    // The whole text, also where the bar has no space for all its lines.
    attributes: { description: { title: message } },
    color: noticeColors[kind],
    autoClose: undo === undefined ? noticeMs[kind] : undoMs,
    className: `notification notification--${undo === undefined ? kind : "undo"}`,
    closeButtonProps: { "aria-label": "Dismiss" },
  })
}

/** Of the messages that are shown, by id. */
const undos = new Map<string, Undo>()

function takeBack(id: string): void {
  const undo = undos.get(id)
  notifications.hide(id)
  undo?.()
}

/** Takes back what the newest message with an Undo reports. False if there is none. */
export function undoNewest(): boolean {
  const id = [...undos.keys()].at(-1)
  if (id !== undefined) takeBack(id)
  return id !== undefined
}

/** A notification does not go while it has the focus. When it goes, the focus returns to where it was before. */
function showKeepingFocus(data: NotificationData & { id: string }): void {
  let cameFrom: Element | null = null
  let hasFocus = false
  notifications.show({
    ...data,
    onFocusCapture({ relatedTarget, currentTarget }: FocusEvent<HTMLElement>) {
      if (currentTarget.contains(relatedTarget)) return
      cameFrom = relatedTarget
      hasFocus = true
      notifications.update({ ...data, autoClose: false })
    },
    onBlurCapture({ relatedTarget, currentTarget }: FocusEvent<HTMLElement>) {
      if (!hasFocus || currentTarget.contains(relatedTarget)) return
      hasFocus = false
      notifications.update(data)
    },
    onClose() {
      undos.delete(data.id)
      if (!hasFocus) return
      hasFocus = false
      const target = cameFrom?.isConnected ? cameFrom : document.querySelector("main")
      if (target instanceof HTMLElement) target.focus({ preventScroll: true })
    },
  })
}

/** Hides the oldest messages, successes first. Otherwise a new one would wait until they are gone. */
function makeSpace(): void {
  const { notifications: shown } = notificationsStore.getState()
  const isSuccess = ({ color }: { color?: string }) => color === noticeColors.success
  const leastWanted = [...shown.filter(isSuccess), ...shown.filter((one) => !isSuccess(one))]
  for (const { id } of leastWanted.slice(0, Math.max(0, shown.length - shownAtOnce() + 1))) {
    if (id !== undefined) notifications.hide(id)
  }
}

function isShown(id: string): boolean {
  return notificationsStore.getState().notifications.some((one) => one.id === id)
}

/** Removes what was wrong with `topic`. Successes have no topic and stay. */
function settled(topic: string): void {
  for (const shown of lastShown.values()) if (shown.topic === topic) notifications.hide(shown.id)
}

/** An error or warning with a topic goes as soon as that topic is settled: the user has solved it. */
export const notify = {
  success(message: string, topic?: string, undo?: Undo) {
    if (topic !== undefined) settled(topic)
    show("success", message, { undo })
  },
  error: (message: string, topic?: string) => show("error", message, { topic }),
  warning: (message: string, topic?: string) => show("warning", message, { topic }),
  info: (message: string) => show("info", message),
  settled,
}
