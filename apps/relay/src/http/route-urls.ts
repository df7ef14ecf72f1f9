import type { Route } from './route.ts'

export interface RouteUrl {
  /** `/3rdparty/v1` or `/api/3rdparty/v1`; empty at the root. */
  readonly base: string
  /** From the root of the server; `{name}` is a parameter. */
  readonly path: string
}

export const API_BASE = '/3rdparty/v1'

const BASES = [API_BASE, `/api${API_BASE}`]

/** Older spellings of the first segment. */
const ALIASES: Readonly<Record<string, string>> = { messages: 'message', devices: 'device', webhooks: 'webhook' }

/** Everywhere that a route answers; the first is the one to tell. */
export function urlsOf({ path, place }: Route): RouteUrl[] {
  const atRoot = place === 'api' ? [] : [{ base: '', path }]
  if (place === 'root') return atRoot
  const [, first = '', rest = ''] = /^\/([^/]+)(.*)$/.exec(path) ?? []
  const alias = ALIASES[first]
  const spellings = alias === undefined ? [path] : [path, `/${alias}${rest}`]
  return [...atRoot, ...BASES.flatMap((base) => spellings.map((spelling) => ({ base, path: base + spelling })))]
}

/** Which methods a path answers to, for `Allow`; undefined for an unknown path. */
export function allowedMethods(routes: readonly Route[]): (path: string) => string[] | undefined {
  const patterns = routes.flatMap((route) =>
    urlsOf(route).map(({ path }) => ({ method: route.method, segments: path.split('/') })),
  )
  return (path) => {
    const segments = path.replace(/\/$/, '').split('/')
    const methods = new Set(patterns.filter((pattern) => fits(pattern.segments, segments)).map(({ method }) => method))
    return methods.size === 0 ? undefined : [...methods, ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS']
  }
}

function fits(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, index) => (part.startsWith('{') ? segments[index] !== '' : part === segments[index]))
  )
}
