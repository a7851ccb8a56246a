export type NoticeKind = "success" | "error" | "warning" | "info"

export const noticeColors: Record<NoticeKind, string> = {
  success: "green",
  error: "red",
  warning: "yellow",
  info: "keep",
}

/** Errors and warnings stay longer, because they take longer to read. */
export const noticeMs: Record<NoticeKind, number> = { success: 4_000, info: 4_000, warning: 8_000, error: 8_000 }
