import type { ServerResponse } from 'node:http'
import { harmlessJson } from '../terminal-text.ts'
import { type Controlled, modemOf, trafficText } from './routes.ts'

/** Server-sent events until the reader leaves. One that does not read is cut off rather than remembered for. */
export function streamTo(
  response: ServerResponse,
  { world, traffic, events }: Controlled,
  query: URLSearchParams,
): void {
  const modem = modemOf(world, query)
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  response.write(': listening\n\n')
  const send = (event: string, data: object) => {
    if (response.writableLength > MOST_UNREAD_BYTES) response.destroy()
    else response.write(`event: ${event}\ndata: ${harmlessJson(data)}\n\n`)
  }
  const stops = [
    traffic.listen((record) => {
      if (modem === null || record.modem === modem) send('traffic', trafficText(record))
    }),
    events.listen((record) => send('network', record)),
  ]
  response.on('close', () => {
    for (const stop of stops) stop()
  })
}

const MOST_UNREAD_BYTES = 0x40_0000
