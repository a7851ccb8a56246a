import { onTestFinished } from "vitest"
import { openBalancer } from "./machine/balancer.ts"

/** A load balancer in front of several nodes, until the test ends. */
export async function startLoadBalancer(urls: string[]): Promise<string> {
  const { url, close } = await openBalancer(urls)
  onTestFinished(close)
  return url
}
