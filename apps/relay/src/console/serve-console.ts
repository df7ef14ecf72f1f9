import { staticFileAnswer } from '../http/answer/static-file.ts'
import type { Answer } from '../http/endpoint.ts'
import { type ConsoleFile, consoleFiles } from './console-files.ts'

/** A browser's request for a path that has no route. */
export interface PageRequest {
  /** The path without the query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

export interface ConsolePage {
  readonly answer: Answer
  readonly mediaType: string
}

/** Returns undefined when the path does not belong to the console. */
export type ServeConsole = (request: PageRequest) => ConsolePage | undefined

/** Serves the web console: its files, and its index page for every path that the console may route in the browser. */
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

/** Allows scripts, styles and data only from this origin, and forbids framing. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

function fileAnswer(file: ConsoleFile, headers: PageRequest['headers']): ConsolePage {
  const answer = staticFileAnswer(file, headers, {
    'content-security-policy': POLICY,
    'cache-control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
  })
  return { answer, mediaType: file.mediaType }
}

function redirect(location: string): ConsolePage {
  return { answer: { status: 302, headers: { location } }, mediaType: 'text/plain' }
}

function missing(): ConsolePage {
  return { answer: { status: 404, body: MISSING_PAGE }, mediaType: 'text/html; charset=utf-8' }
}

const MISSING_PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>The console is not built</title></head>
<body>
<h1>The console is not built</h1>
<p>The API works without the console: see the <a href="/docs">API reference</a> and <a href="/health">health</a>.</p>
<p>In a clone of the repository <code>npm start</code> and <code>npm run relay</code> build the console, or report why they
cannot. Otherwise set <code>CONSOLE_DIR</code> to the folder of a built console, or to <code>off</code>.</p>
</body>
</html>
`
