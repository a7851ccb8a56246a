/** A server that has been started, as one process or several. */
export interface RunningServer {
  /** Finishes the requests in flight, then lets go of the port and the database. A drain first lets balancers notice. */
  stop(how: { drain: boolean }): Promise<void>
}
