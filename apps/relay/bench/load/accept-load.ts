import { median } from './figures.ts'
import { type Load, postRequest, runLoad } from './load.ts'

export interface AcceptLoad {
  /** The URL of the endpoint that accepts messages. */
  readonly url: string
  /** Value of the `Authorization` header. */
  readonly auth: string
  readonly connections: number
  readonly seconds: number
}

let sent = 0

/** Sends messages as fast as they are accepted. Throws if one is not accepted. */
export async function runAcceptLoad({ url, auth, connections, seconds }: AcceptLoad): Promise<Load> {
  const { pathname } = new URL(url)
  const request = () => postRequest(pathname, { authorization: auth }, body())
  const load = await runLoad({ url, connections, seconds, request })
  const others = [...load.statuses.keys()].filter((status) => status !== 202)
  if (others.length > 0) throw new Error(`answers with status ${others.join(', ')}`)
  return load
}

/** Returns the medians of several rounds: messages a second, p50 and p99. */
export function acceptFigures(loads: readonly Load[]): string[] {
  return [
    String(Math.round(acceptRate(loads))),
    median(loads.map(({ p50Ms }) => p50Ms)).toFixed(1),
    median(loads.map(({ p99Ms }) => p99Ms)).toFixed(1),
  ]
}

/** Returns the median of the messages accepted in a second. */
export function acceptRate(loads: readonly Load[]): number {
  return median(loads.map(({ perSecond }) => perSecond))
}

/** Returns a message with a text of typical length. The numbers are valid, different, and in no particular order. */
function body(): string {
  const number = `+4915112${String(100_000 + ((sent++ * 7_919) % 900_000))}`
  return JSON.stringify({
    phoneNumbers: [number],
    textMessage: { text: 'Your parcel no. 4711 arrives tomorrow between 10:00 and 12:00' },
  })
}
