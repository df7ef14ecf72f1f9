import type { Answer } from '../http/endpoint.ts'
import { type ConsoleFile, consoleFiles } from './console-files.ts'
import { MISSING_PAGE } from './missing-page.ts'

/** What a browser asks for at a path that no route has. */
export interface PageRequest {
  /** Without the query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

export interface Page {
  readonly answer: Answer
  readonly mediaType: string
}

/** Undefined: this is no matter of the console. */
export type ServeConsole = (request: PageRequest) => Page | undefined

/** The web console: its files, and its first page for every path that it may route by itself. */
export function serveConsole(folder: string): ServeConsole {
  const files = consoleFiles(folder)
  return ({ path, headers }) => {
    if (/^\/(api|3rdparty|\.well-known)(\/|$)/.test(path)) return undefined
    const isPage = path === '/' || path === MISSING || /\btext\/html\b/.test(String(headers['accept'] ?? ''))
    const known = files.get(path)
    if (known && !isPage) return fileAnswer(known, headers)
    const index = files.index()
    const file = files.get(path)
    if (file) return fileAnswer(file, headers)
    if (!isPage) return undefined
    if (index && path !== MISSING) return fileAnswer(index, headers)
    return index ? redirect('/') : missing()
  }
}

const MISSING = '/console-missing'

/** Scripts, styles and data from here alone, and nobody frames it. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

function fileAnswer(file: ConsoleFile, headers: PageRequest['headers']): Page {
  const shown = {
    'content-security-policy': POLICY,
    'cache-control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag: file.etag,
    vary: 'accept-encoding',
  }
  if (namesTag(headers['if-none-match'], file.etag))
    return { answer: { status: 304, headers: shown }, mediaType: file.mediaType }
  const accepted = acceptedEncodings(String(headers['accept-encoding'] ?? ''))
  for (const [encoding, body] of file.encoded)
    if (accepted.has(encoding))
      return {
        answer: { status: 200, body, headers: { ...shown, 'content-encoding': encoding } },
        mediaType: file.mediaType,
      }
  return { answer: { status: 200, body: file.bytes, headers: shown }, mediaType: file.mediaType }
}

function namesTag(header: string | string[] | undefined, etag: string): boolean {
  return String(header ?? '')
    .split(',')
    .some((tag) => tag.trim().replace(/^W\//, '') === etag)
}

function acceptedEncodings(header: string): Set<string> {
  const named = header.split(',').map((part) =>
    part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/),
  )
  return new Set(named.filter(([, weight]) => !/^q=0(\.0*)?$/.test(weight ?? '')).map(([name = '']) => name))
}

function redirect(location: string): Page {
  return { answer: { status: 302, headers: { location } }, mediaType: 'text/plain' }
}

function missing(): Page {
  return { answer: { status: 404, body: MISSING_PAGE }, mediaType: 'text/html; charset=utf-8' }
}
