/** How the server is reached: by which origin, if it is configured, and by which host. */
export interface Site {
  publicOrigin: string | undefined
  /** That the caller has used, with its port. A proxy that is trusted says which one it was. */
  host: string
}
