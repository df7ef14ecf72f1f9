import ipaddr from 'ipaddr.js'
import { ApiError } from '../http/api-error.ts'
import type { Caller } from '../http/caller.ts'

/** What is sent in the clear over a network is everybody's: it is not taken, so that nobody gets used to it. */
export function refuseInsecure({ address, isSecure }: Pick<Caller, 'address' | 'isSecure'>, isAllowed: boolean): void {
  if (isSecure || isAllowed || isLoopback(address)) return
  throw new ApiError(
    403,
    'credentials are not taken over plain HTTP: use HTTPS, or list the proxy that ends it in TRUSTED_PROXIES; ALLOW_INSECURE_HTTP=1 takes them for development',
  )
}

function isLoopback(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback'
}
