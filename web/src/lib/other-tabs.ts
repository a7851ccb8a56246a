const channelName = "envkeep-session"

/** Tells the other tabs of this browser, which share the cookie, that the user signed in or out. */
export function announceSession(): void {
  const channel = new BroadcastChannel(channelName)
  channel.postMessage("changed")
  channel.close()
}

export function onSessionAnnounced(listen: () => void): void {
  new BroadcastChannel(channelName).addEventListener("message", listen)
}
