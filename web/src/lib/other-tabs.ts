const channelName = "envkeep-session"

/**
 * Tells the other tabs of this browser, which share the cookie, that the user signed in or out, or that the server may
 * require something else of them.
 */
export function announceSession(): void {
  const channel = new BroadcastChannel(channelName)
  channel.postMessage("changed")
  channel.close()
}

/** Returns what ends it. */
export function onSessionAnnounced(listen: () => void): () => void {
  const channel = new BroadcastChannel(channelName)
  channel.addEventListener("message", listen)
  return () => channel.close()
}
