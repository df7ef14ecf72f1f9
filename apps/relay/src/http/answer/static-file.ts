import { createHash } from 'node:crypto'
import { extname } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Answer } from '../endpoint.ts'

/** A file that a browser loads, held in memory. */
export interface StaticFile {
  readonly bytes: Buffer
  /** Compressed copies by the name of their encoding, in order of preference. */
  readonly encoded: ReadonlyMap<string, Buffer>
  readonly mediaType: string
  readonly etag: string
}

type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>

export async function staticFile(name: string, bytes: Buffer): Promise<StaticFile> {
  const encoded = new Map([['gzip', await promisify(gzip)(bytes, { level: 9 })]])
  return { bytes, encoded, mediaType: mediaTypeOf(name), etag: etagOf(bytes) }
}

/**
 * Answers with 304 if the browser already has the file, otherwise with the file in the best encoding the browser
 * accepts.
 */
export function staticFileAnswer(
  { bytes, encoded, mediaType, etag }: StaticFile,
  request: RequestHeaders,
  headers: Readonly<Record<string, string>>,
): Answer {
  const shown = { ...headers, 'content-type': mediaType, etag, vary: 'accept-encoding' }
  if (hasTag(request['if-none-match'], etag)) return { status: 304, headers: shown }
  const accepted = acceptedEncodings(String(request['accept-encoding'] ?? ''))
  for (const [encoding, body] of encoded)
    if (accepted.has(encoding)) return { status: 200, body, headers: { ...shown, 'content-encoding': encoding } }
  return { status: 200, body: bytes, headers: shown }
}

export function etagOf(bytes: Buffer): string {
  return `"${createHash('sha256').update(bytes).digest('base64url')}"`
}

export function mediaTypeOf(name: string): string {
  return MEDIA_TYPES[extname(name)] ?? 'application/octet-stream'
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
}

function hasTag(header: string | string[] | undefined, etag: string): boolean {
  return String(header ?? '')
    .split(',')
    .some((tag) => tag.trim().replace(/^W\//, '') === etag)
}

export function acceptedEncodings(header: string): Set<string> {
  const named = header.split(',').map((part) =>
    part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/),
  )
  return new Set(named.filter(([, weight]) => !/^q=0(\.0*)?$/.test(weight ?? '')).map(([name = '']) => name))
}
