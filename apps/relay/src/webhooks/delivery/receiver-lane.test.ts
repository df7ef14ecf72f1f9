import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { systemClock } from '../../clock.ts'
import { systemRandom } from '../../random.ts'
import { secretBox } from '../../store/secret-box.ts'
import { newWebhookSecret, sealWebhookSecret } from '../webhook-secret.ts'
import type { DueDelivery } from './read-due-statement.ts'
import { Breakers } from './receiver-health.ts'
import { ReceiverLane, type ReceiverLaneDeps } from './receiver-lane.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const box = secretBox('the secret of a server that only tests know', systemRandom)

/** A lane with an endless queue, to a receiver with this response time. */
function laneTo({ answersAfterMs }: { readonly answersAfterMs: number }) {
  const urls: string[] = []
  const deps: ReceiverLaneDeps = {
    client: {
      async post(url) {
        urls.push(url)
        await new Promise((resolve) => setTimeout(resolve, answersAfterMs))
        const reply = { status: 200, retryAfter: undefined, contentType: undefined, excerpt: '', isWhole: true }
        return { kind: 'replied', reply, address: undefined }
      },
      get: () => Promise.reject(new Error('no webhook of this test has this format')),
    },
    clock: systemClock,
    random: systemRandom,
    box,
    log: { error: () => undefined },
    logbook: { write: () => undefined },
    breakers: new Breakers(),
    observe: () => undefined,
    reply: async () => undefined,
    recorder: {
      record: async () => true,
      updateHealth: () => undefined,
      recordGone: () => undefined,
      release: async () => undefined,
    },
  }
  const receiver = {
    key: 1n,
    id: 'w1',
    accountId: 'a1',
    url: 'http://127.0.0.1/',
    format: null,
    secretSealed: sealWebhookSecret(box, newWebhookSecret(systemRandom)),
    previousSecretSealed: null,
    signingKeySealed: null,
    retries: null,
    pauses: 0,
    hasFailures: false,
  }
  const lane = new ReceiverLane(deps, {
    worker: 1,
    receiver,
    takenAtMs: performance.now(),
    onNeedsMore: () => undefined,
    onDone: () => undefined,
  })
  const requested: number[] = []
  let key = 0n
  const due = (): DueDelivery => ({
    key: ++key,
    webhookKey: 1n,
    id: `e${key}`,
    deviceId: 'd1',
    event: 'sms:received',
    payload: {},
    attempts: 0,
    ageSeconds: 0,
    version: 1,
  })
  return {
    requested,
    urls,
    lane,
    feed: (count: number) => lane.feed(Array.from({ length: count }, due), count),
    moveTo: (url: string) => lane.renew({ ...receiver, url }, performance.now()),
    /** Runs the lane for this time. Deliveries that it requests are available at once. */
    async feedFor(ms: number): Promise<void> {
      for (let elapsedMs = 0; elapsedMs < ms; elapsedMs += 1) {
        const { wants } = lane
        if (wants > 0) lane.feed(Array.from({ length: wants }, due), wants)
        if (wants > 0) requested.push(wants)
        lane.renew(receiver, performance.now())
        await vi.advanceTimersByTimeAsync(1)
      }
    },
  }
}

test('a fast receiver gets more deliveries at a time, up to some hundreds', async () => {
  const { requested, feedFor } = laneTo({ answersAfterMs: 0 })
  await feedFor(2_000)
  expect(requested[0]).toBe(10)
  expect(Math.max(...requested)).toBeGreaterThan(200)
  expect(Math.max(...requested)).toBeLessThanOrEqual(800)
})

test('only a few deliveries are held for a slow receiver', async () => {
  const { requested, feedFor } = laneTo({ answersAfterMs: 300 })
  await feedFor(30_000)
  expect(requested.length).toBeGreaterThan(20)
  expect(Math.max(...requested)).toBe(10)
})

test('deliveries that were read for an earlier URL are not sent to the present URL', async () => {
  const { feed, moveTo, urls, lane } = laneTo({ answersAfterMs: 10 })
  feed(8)
  expect(urls).toEqual(Array(5).fill('http://127.0.0.1/'))
  moveTo('http://127.0.0.2/')
  await vi.advanceTimersByTimeAsync(100)
  expect(urls).toHaveLength(5)
  expect(lane.held.size).toBe(0)
  feed(1)
  expect(urls.at(-1)).toBe('http://127.0.0.2/')
})
