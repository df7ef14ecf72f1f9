import type { Method, Route } from './route.ts'

export interface RouteUrl {
  /** The prefix: `/3rdparty/v1` or `/api/3rdparty/v1`, `/mobile/v1` or `/api/mobile/v1`, or empty at the root. */
  readonly base: string
  /** The path from the root of the server; `{name}` is a parameter. */
  readonly path: string
}

export const API_BASE = '/3rdparty/v1'

const BASES = [API_BASE, `/api${API_BASE}`]
const MOBILE_BASES = ['/mobile/v1', '/api/mobile/v1']

/** Older names of the first segment of a path. */
const ALIASES: Readonly<Record<string, string>> = { messages: 'message', devices: 'device', webhooks: 'webhook' }

/** Returns all URLs of a route. The documented URL is the first. */
export function urlsOf({ path, place }: Route): RouteUrl[] {
  const atRoot = place === 'root' || place === 'both' ? [{ base: '', path }] : []
  if (place === 'root') return atRoot
  const [, first = '', rest = ''] = /^\/([^/]+)(.*)$/.exec(path) ?? []
  const alias = ALIASES[first]
  const spellings = alias === undefined ? [path] : [path, `/${alias}${rest}`]
  const bases = place === 'mobile' ? MOBILE_BASES : BASES
  return [...atRoot, ...bases.flatMap((base) => spellings.map((spelling) => ({ base, path: base + spelling })))]
}

/** A path pattern with the methods of all its routes. */
interface Resource {
  /** The path as it is written in the route table. */
  readonly path: string
  readonly segments: readonly string[]
  readonly methods: ReadonlySet<Method>
  readonly hasHead: boolean
}

/**
 * Returns true if HEAD is allowed on a route. In interfaces of other products, even a GET request may send a message.
 */
export function hasHead({ method, endpoint }: Route): boolean {
  return method === 'GET' && endpoint.facade === undefined
}

/** Returns a path as the server compares it with routes: without repeated slashes, and without a slash at the end. */
export function routedPath(path: string): string {
  return path.replace(/\/{2,}/g, '/').replace(/\/$/, '')
}

/** Returns a function that finds the methods of a path for the `Allow` header, or undefined for an unknown path. */
export function allowedMethods(routes: readonly Route[]): (path: string) => string[] | undefined {
  const resources = resourcesOf(routes)
  return (path) => {
    const segments = routedPath(path).split('/')
    const found = resources.find((resource) => fits(resource.segments, segments))
    return found && [...found.methods, ...(found.hasHead ? ['HEAD'] : []), 'OPTIONS']
  }
}

/**
 * Finds methods that a literal path would inherit from a pattern. For example, a router that selects by method would
 * match `DELETE /devices/codes` with `DELETE /devices/{id}`, which would delete a device.
 */
export function shadowedMethods(routes: readonly Route[]): { readonly path: string; readonly methods: Method[] }[] {
  const resources = resourcesOf(routes)
  return resources.flatMap(({ path, segments, methods }, index) => {
    const behind = resources.slice(index + 1).filter((other) => overlap(other.segments, segments))
    const shadowed = new Set(behind.flatMap((other) => [...other.methods]).filter((method) => !methods.has(method)))
    return shadowed.size === 0 ? [] : [{ path, methods: [...shadowed] }]
  })
}

/**
 * Sorts patterns so that literal segments come before parameters, compared from the left. A path belongs to the first
 * pattern that matches.
 */
function resourcesOf(routes: readonly Route[]): Resource[] {
  const byPattern = new Map<string, { path: string; segments: string[]; methods: Set<Method>; hasHead: boolean }>()
  for (const route of routes) {
    for (const { path } of urlsOf(route)) {
      const pattern = path.replace(/\{\w+\}/g, '{}')
      const resource = byPattern.get(pattern) ?? {
        path,
        segments: pattern.split('/'),
        methods: new Set(),
        hasHead: false,
      }
      byPattern.set(pattern, resource)
      resource.methods.add(route.method)
      resource.hasHead ||= hasHead(route)
    }
  }
  const rank = ({ segments }: Resource) => segments.map((segment) => (segment === '{}' ? 1 : 0)).join('')
  return [...byPattern.values()].sort((a, b) => (rank(a) < rank(b) ? -1 : rank(a) > rank(b) ? 1 : 0))
}

function fits(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, index) => (part === '{}' ? segments[index] !== '' : part === segments[index]))
  )
}

/** Returns true if some path matches both patterns. */
function overlap(one: readonly string[], other: readonly string[]): boolean {
  return (
    one.length === other.length &&
    one.every((part, index) => part === other[index] || part === '{}' || other[index] === '{}')
  )
}
