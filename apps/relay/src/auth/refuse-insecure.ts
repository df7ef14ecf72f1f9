import ipaddr from 'ipaddr.js'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '../http/errors/api-error.ts'

/** Refuses credentials that were sent unencrypted over a network, because others may have read them. */
export function refuseInsecure({ address, isSecure }: Pick<Caller, 'address' | 'isSecure'>, isAllowed: boolean): void {
  if (isSecure || isAllowed || isLoopback(address)) return
  throw new ApiError(
    403,
    'Credentials are not accepted over plain HTTP: use HTTPS, or list your TLS proxy in TRUSTED_PROXIES; for development set ALLOW_INSECURE_HTTP=1',
    { reason: 'insecure_connection' },
  )
}

function isLoopback(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback'
}
