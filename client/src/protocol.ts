import type { AgentOptions } from "node:http"

/**
 * What sends a request to this address, over a connection of its own. It goes through a proxy if Node's own switch is on
 * (`NODE_USE_ENV_PROXY=1` or `--use-env-proxy`), of which only the global agent hears.
 */
export async function protocolOf(url: string) {
  const isSecure = url.startsWith("https:")
  // Loading TLS takes time, so only https does.
  const { request, Agent, globalAgent } = isSecure ? await import("node:https") : await import("node:http")
  const { proxyEnv } = (globalAgent as { options?: AgentOptions }).options ?? {}
  return { isSecure, request, agent: proxyEnv ? new Agent({ proxyEnv }) : (false as const) }
}
