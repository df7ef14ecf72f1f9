import { StartError } from './start-error.ts'

/** The settings with the address and the port of a server. */
interface ListenSettings {
  readonly host: string
  readonly port: string
}

/** A server cannot listen. The cause may have the code of a failed connection, for example `ENOTFOUND`. */
export class ListenError extends StartError {
  constructor(cause: unknown, where: { readonly host: string; readonly port: number }, settings?: ListenSettings) {
    super(listenProblem(cause, where, settings), { cause })
  }
}

/** Returns why a server cannot listen, and which setting to change. */
export function listenProblem(
  error: unknown,
  { host, port }: { readonly host: string; readonly port: number },
  settings: ListenSettings = { host: 'HOST', port: 'PORT' },
): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return `port ${port} of ${host} is in use by another program: stop that program, or set ${settings.port} to another port`
    case 'EACCES':
      return `this user may not listen on port ${port}: set ${settings.port} to a port above 1023`
    case 'EADDRNOTAVAIL':
    case 'EAI_AGAIN':
    case 'ENOTFOUND':
      return `this machine does not have the address ${host}: set ${settings.host} to one of its addresses, or to 0.0.0.0`
    default:
      return `cannot listen on ${host}:${port}: ${error instanceof Error ? error.message : error}`
  }
}
