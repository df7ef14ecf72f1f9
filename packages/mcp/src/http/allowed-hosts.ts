/**
 * Protects against web pages that send requests to this server through the browser of its user, for example by DNS
 * rebinding.
 */

/** Returns the name in a `Host` header in lower case, without its port, or undefined if the header is missing or wrong. */
export function nameOfHost(header: string | undefined): string | undefined {
  if (header === undefined || !/^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i.test(header)) return undefined
  return header.replace(/:\d{1,5}$/, '').toLowerCase()
}

/**
 * Returns true if a web page with this origin may send requests. The origin `null` of files and sandboxes is not
 * allowed.
 */
export function isAllowedOrigin(origin: string, allowedHosts: readonly string[]): boolean {
  const url = URL.parse(origin)
  return url !== null && /^https?:$/.test(url.protocol) && allowedHosts.includes(url.hostname.toLowerCase())
}
