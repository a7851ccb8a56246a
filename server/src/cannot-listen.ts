import { exitCodes, StartError } from "./start-error.ts"

interface ListenAddress {
  host: string
  port: number
  hostSetting: "HOST" | "ENVKEEP_METRICS_HOST"
  portSetting: "PORT" | "ENVKEEP_METRICS_PORT"
}

/** Why a port cannot be listened on, in one sentence that names the setting to change. */
export function cannotListen(error: unknown, { host, port, hostSetting, portSetting }: ListenAddress): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code === undefined || syscall === undefined) return error
  const reasons: Record<string, string> = {
    EADDRINUSE: `Port ${port} on ${host} is already taken. Stop what uses it, or set ${portSetting} to another one`,
    EACCES: `Port ${port} on ${host} may not be used by this user. Set ${portSetting} to one above 1023`,
    EADDRNOTAVAIL: `This machine has no address ${host}. Set ${hostSetting} to one that it has`,
    ENOTFOUND: `The name ${host} is not known. Set ${hostSetting} to an address of this machine`,
  }
  return new StartError(exitCodes.unavailable, reasons[code] ?? `Cannot listen on port ${port} of ${host}: ${code}`)
}
