import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import { ControlProblem } from './problem.ts'

/**
 * A page in a browser on this machine reaches loopback too, and there is no password. Three things keep it out: what
 * browsers say of a request that a page makes, a name for this machine that is not its own (a page whose name was
 * made to lead here, DNS rebinding), and kinds of body that a page may send without being asked for leave.
 */
export function refuseWebPages(headers: IncomingHttpHeaders, boundTo: string): void {
  const site = headers['sec-fetch-site']
  // `none`: the address was typed in by a person.
  if (headers.origin !== undefined || (site !== undefined && site !== 'none'))
    throw new ControlProblem(403, 'web_page', 'requests from web pages are not answered')
  // No browser leaves the host out.
  if (headers.host !== undefined && !isOwnName(headers.host, boundTo))
    throw new ControlProblem(403, 'wrong_host', `"${headers.host}" is not this emulator; ask for localhost`)
}

/** JSON needs leave, so it is always ours. What `curl -d` sends a page could send too: not when it looks like one. */
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
  // Bound to all addresses, any of them: none of them is a name that could be made to lead here.
  return isIP(address) !== 0 && (WILDCARDS.includes(boundTo) || LOOPBACK.includes(address))
}

const LOOPBACK = ['127.0.0.1', '::1']
const WILDCARDS = ['0.0.0.0', '::']
