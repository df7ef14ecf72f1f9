// A process that sends messages at a constant rate, and measures how long the answers take. It does nothing else, so
// the times contain only little of its own work.
import { setTimeout as sleep } from 'node:timers/promises'

export type AcceptOrder =
  | { readonly kind: 'start'; readonly targets: readonly AcceptTarget[]; readonly everyMs: number }
  | { readonly kind: 'stop' }

/** The route of a relay, or the bare route. Each gets a message in each interval. */
export interface AcceptTarget {
  readonly url: string
  readonly auth: string
  readonly body: string
}

/** The times of the answers of each target, in milliseconds. */
export type AcceptReport = readonly (readonly number[])[]

let running: { isStopped: boolean; readonly times: number[][]; readonly ended: Promise<unknown> } | undefined

process.on('message', (order: AcceptOrder) => void obey(order))
process.on('disconnect', () => process.exit())

async function obey(order: AcceptOrder): Promise<void> {
  if (order.kind === 'start') return start(order)
  if (running === undefined) return
  running.isStopped = true
  await running.ended
  process.send?.(running.times satisfies AcceptReport)
}

function start({ targets, everyMs }: AcceptOrder & { kind: 'start' }): void {
  const run = { isStopped: false, times: targets.map((): number[] => []), ended: Promise.resolve() as Promise<unknown> }
  const sendSteadily = async (target: AcceptTarget, index: number) => {
    const requests: Promise<void>[] = []
    // The targets take turns, so that their requests do not delay each other.
    const startedMs = performance.now() + (everyMs * index) / targets.length
    for (let turn = 0; !run.isStopped; turn += 1) {
      await sleep(Math.max(0, startedMs + turn * everyMs - performance.now()))
      requests.push(timeRequest(target).then((ms) => void run.times[index]?.push(ms)))
    }
    await Promise.all(requests)
  }
  run.ended = Promise.all(targets.map(sendSteadily))
  running = run
}

/** Each request has a connection of its own, because the server may close an idle connection while it is used again. */
async function timeRequest({ url, auth, body }: AcceptTarget): Promise<number> {
  const startedMs = performance.now()
  const headers = { authorization: auth, 'content-type': 'application/json', connection: 'close' }
  const response = await fetch(url, { method: 'POST', headers, body })
  const text = await response.text()
  if (response.status !== 202) throw new Error(`a message was refused: ${text}`)
  return performance.now() - startedMs
}
