import { routedPath } from '../../http/route-urls.ts'

/**
 * Returns the path of a URL as a relay compares it with routes. A relay decodes `%73`. If the router read a path in
 * another way, it would look for credentials in another place than the relay.
 */
export function decodedPath(url: string): string {
  const [path = ''] = url.split('?', 1)
  return routedPath(path.replace(/%[2-7][0-9a-f]/gi, decodedIfUnreserved))
}

function decodedIfUnreserved(code: string): string {
  const character = decodeURIComponent(code)
  return /[\w.~-]/.test(character) ? character : code
}
