import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import { ControlProblem } from './problem.ts'

/**
 * Refuses requests from web pages. The interface has no password, and a page in a local browser can reach loopback.
 * Checks for headers that browsers add, for a foreign host name (DNS rebinding), and for body types that need no CORS
 * preflight.
 */
export function refuseWebPages(headers: IncomingHttpHeaders, boundTo: string): void {
  const site = headers['sec-fetch-site']
  // The value `none` means that the user typed the address.
  if (headers.origin !== undefined || (site !== undefined && site !== 'none'))
    throw new ControlProblem(403, 'web_page', 'requests from web pages are refused')
  // Allows a missing Host header, because browsers always send it.
  if (headers.host !== undefined && !isOwnName(headers.host, boundTo))
    throw new ControlProblem(
      403,
      'wrong_host',
      `host "${headers.host}" is not an address of this emulator; use localhost`,
    )
}

/**
 * Refuses bodies of other types than JSON. A page needs a CORS preflight for JSON, but not for the form type that `curl
 * -d` sends. The form type is refused if the request has headers of a browser.
 */
export function refuseForeignBody(headers: IncomingHttpHeaders): void {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  if (type === 'application/json') return
  const browser = Object.keys(headers).some((name) => /^(?:sec-|referer$|accept-language$)/.test(name))
  if (!browser && (type === undefined || type === 'application/x-www-form-urlencoded')) return
  throw new ControlProblem(415, 'invalid_content_type', 'send the body as content-type: application/json')
}

function isOwnName(host: string, boundTo: string): boolean {
  const name = host.replace(/:\d*$/, '').toLowerCase()
  const address = name.replace(/^\[(.*)\]$/, '$1')
  if (name === 'localhost' || address === boundTo.toLowerCase()) return true
  // A server that is bound to all addresses accepts any IP address as host, because DNS rebinding needs a host name.
  return isIP(address) !== 0 && (WILDCARDS.includes(boundTo) || LOOPBACK.includes(address))
}

const LOOPBACK = ['127.0.0.1', '::1']
const WILDCARDS = ['0.0.0.0', '::']
