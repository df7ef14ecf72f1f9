import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { systemClock } from '../../clock.ts'
import { systemRandom } from '../../random.ts'
import { secretBox } from '../../store/secret-box.ts'
import { newWebhookSecret, sealWebhookSecret } from '../webhook-secret.ts'
import { Breakers } from './breakers.ts'
import type { DueDelivery } from './read-due-statement.ts'
import { ReceiverLane, type ReceiverLaneNeeds } from './receiver-lane.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const box = secretBox('the secret of a server that only tests know', systemRandom)

/** A lane to a receiver that takes so long for each request, and a source that never runs dry. */
function laneTo({ answersAfterMs }: { readonly answersAfterMs: number }) {
  const needs: ReceiverLaneNeeds = {
    client: {
      async post() {
        await new Promise((resolve) => setTimeout(resolve, answersAfterMs))
        return { kind: 'replied', reply: { status: 200, retryAfter: undefined, excerpt: '' }, address: undefined }
      },
    },
    clock: systemClock,
    random: systemRandom,
    box,
    log: { error: () => undefined },
    logbook: { write: () => undefined },
    breakers: new Breakers(),
    observe: () => undefined,
    settler: {
      record: async () => true,
      noteHealth: () => undefined,
      noteGone: () => undefined,
      release: async () => undefined,
    },
  }
  const receiver = {
    key: 1n,
    id: 'w1',
    accountId: 'a1',
    url: 'http://127.0.0.1/',
    secretSealed: sealWebhookSecret(box, newWebhookSecret(systemRandom)),
    previousSecretSealed: null,
    signingKeySealed: null,
    retries: null,
    pauses: 0,
    isIll: false,
  }
  const lane = new ReceiverLane(needs, {
    worker: 1,
    receiver,
    takenAtMs: performance.now(),
    onHungry: () => undefined,
    onDone: () => undefined,
  })
  const asked: number[] = []
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
    version: '1',
  })
  return {
    asked,
    /** What is wanted is there at once. */
    async feedFor(ms: number): Promise<void> {
      for (let elapsedMs = 0; elapsedMs < ms; elapsedMs += 1) {
        const { wants } = lane
        if (wants > 0) lane.feed(Array.from({ length: wants }, due), wants)
        if (wants > 0) asked.push(wants)
        lane.renew(receiver, performance.now())
        await vi.advanceTimersByTimeAsync(1)
      }
    },
  }
}

test('a receiver that is quick is given more at a time, up to some hundreds', async () => {
  const { asked, feedFor } = laneTo({ answersAfterMs: 0 })
  await feedFor(2_000)
  expect(asked[0]).toBe(10)
  expect(Math.max(...asked)).toBeGreaterThan(200)
  expect(Math.max(...asked)).toBeLessThanOrEqual(800)
})

test('of one that takes its time no more than a few are held', async () => {
  const { asked, feedFor } = laneTo({ answersAfterMs: 300 })
  await feedFor(30_000)
  expect(asked.length).toBeGreaterThan(20)
  expect(Math.max(...asked)).toBe(10)
})
