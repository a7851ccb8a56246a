/** The program and its version, such as `curl/8.5.0`: what comes first in the header `User-Agent`. */
export function programOf(client: string): string | null {
  return /^[a-z][\w.+-]{0,39}(\/[\w.+-]{1,20})?/i.exec(client)?.[0] ?? null
}
