import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { BenchRelays } from '../bench-relays.ts'

const agent = new Agent({ keepAlive: true })

/**
 * Returns the milliseconds until a full page of messages has arrived. The client keeps its connection open and parses
 * the page only afterwards, so little of this time is its own.
 */
export function timePage(relays: BenchRelays, query: Readonly<Record<string, string>>, rows: number): Promise<number> {
  return timeList(relays, `/messages?${new URLSearchParams(query)}`, rows)
}

/** Measures any list, which has at least this many rows. The path begins after `/3rdparty/v1`. */
export async function timeList({ urls: [url], auth }: BenchRelays, path: string, rows: number): Promise<number> {
  const startedMs = performance.now()
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(`${url}/3rdparty/v1${path}`, { agent, headers: { authorization: auth } }, resolve)
      .once('error', reject)
      .end()
  })
  const body = await text(response)
  const tookMs = performance.now() - startedMs
  if (response.statusCode !== 200 || JSON.parse(body).length < rows) {
    throw new Error(`${path}: ${response.statusCode}, not a full page`)
  }
  return tookMs
}
