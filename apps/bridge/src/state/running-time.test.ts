import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { openLog } from '@smsgw/daemon/log/log'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { ChatQueue } from '../chat/chat-queue.ts'
import { type Channels, readChannels } from '../config.ts'
import { DeliveryQueue } from '../smpp/deliver/delivery-queue.ts'
import { PartStore } from '../smpp/submit/part-store.ts'
import { RepeatedSubmits } from '../smpp/submit/repeated-submits.ts'
import { startBridge } from '../start-bridge.ts'
import { openState } from './bridge-state.ts'
import { RunningTime } from './running-time.ts'
import { SentMessages } from './sent-messages.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const YEAR_MS = 365 * DAY_MS
const log = openLog('fatal', process.stdout)
const realNow = performance.now.bind(performance)

let folder: string
let database: DatabaseSync
let clock: RunningTime
let aheadMs: number

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-running-time-'))
  aheadMs = 0
  vi.spyOn(performance, 'now').mockImplementation(() => realNow() + aheadMs)
  open()
})
afterEach(() => {
  close()
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true, force: true })
})

function open(): void {
  database = openState(folder)
  clock = new RunningTime(database, log)
}

function close(): void {
  clock.stop()
  database.close()
}

/** The next process starts with a system clock that is ahead of the last clock by this time. */
function restart(byMs: number): void {
  close()
  aheadMs += byMs
  open()
}

const JUMPS = [
  ['years later', 6 * YEAR_MS],
  ['years earlier', -6 * YEAR_MS],
  ['at the same time', 0],
] as const

test.each(JUMPS)('a start whose system clock is %s changes no age of a delivery', (_, jumpMs) => {
  new DeliveryQueue(database).addReceived('old', clock.now())
  aheadMs += 6 * DAY_MS
  new DeliveryQueue(database).addReceived('new', clock.now())
  restart(jumpMs)
  const queue = new DeliveryQueue(database)
  expect(queue.removeOld(clock.now())).toBe(0)
  aheadMs += DAY_MS + MINUTE_MS
  expect(queue.removeOld(clock.now())).toBe(1)
  expect(queue.listFor({ systemId: 'app', owner: 'me', readsInbox: true }, 0, 10)).toMatchObject([{ inboxId: 'new' }])
})

test.each(JUMPS)('a start whose system clock is %s changes no other age', (_, jumpMs) => {
  const part = {
    key: 'group',
    position: { width: 8, reference: 1, sequence: 1, total: 2 },
    octets: Buffer.from('one'),
    wantsReceipt: false,
    detail: 'null',
    newMessageId: 'm1',
  } as const
  new PartStore(database).add(part, clock.now())
  new RepeatedSubmits(database).idFor('hash', { newId: 'm1', sessionId: 'a' }, clock.now())
  new SentMessages(database, 'smpp').add('m1', 'null', clock.now())
  new ChatQueue(database).add(['chat'], 'i1', 'Hello', clock.now())
  aheadMs += 4 * MINUTE_MS
  restart(jumpMs)
  const parts = new PartStore(database)
  const submits = new RepeatedSubmits(database)
  submits.forget(clock.now())
  expect(parts.expired(clock.now())).toEqual([])
  expect(submits.idFor('hash', { newId: 'm2', sessionId: 'b' }, clock.now())).toBe('m1')
  new SentMessages(database, 'smpp').add('m2', 'null', clock.now())
  expect(new SentMessages(database, 'smpp').list()).toHaveLength(2)
  const { at = 0 } = new ChatQueue(database).first('chat') ?? {}
  expect(Math.round((clock.now() - at) / MINUTE_MS)).toBe(4)
  aheadMs += 2 * MINUTE_MS
  expect(parts.expired(clock.now())).toMatchObject([{ messageId: 'm1' }])
  expect(submits.idFor('hash', { newId: 'm3', sessionId: 'b' }, clock.now())).toBe('m3')
})

test.each(JUMPS)('a first start without a stored time drops nothing if the system clock is %s', (_, jumpMs) => {
  new DeliveryQueue(database).addReceived('one', clock.now())
  clock.stop()
  database.exec('DELETE FROM notes')
  aheadMs += jumpMs
  clock = new RunningTime(database, log)
  const queue = new DeliveryQueue(database)
  expect(queue.removeOld(clock.now())).toBe(0)
  aheadMs += 7 * DAY_MS + MINUTE_MS
  expect(queue.removeOld(clock.now())).toBe(1)
})

test('after a crash, the clock continues at most a minute earlier', () => {
  onTestFinished(() => void vi.useRealTimers())
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  clock.stop()
  clock = new RunningTime(database, log)
  aheadMs += DAY_MS
  vi.advanceTimersByTime(MINUTE_MS)
  const crashedAt = clock.now()
  const next = new RunningTime(database, log)
  expect(crashedAt - next.now()).toBeLessThan(MINUTE_MS)
  next.stop()
})

test('a bridge keeps its deliveries if its system clock was years behind at an earlier start', async () => {
  const start = () =>
    startBridge({
      api: { url: 'http://127.0.0.1:9', credentials: { apiKey: 'key' } },
      channels: readChannels({ SMPP_PORT: '0' }) as Channels,
      dataDir: folder,
      log,
    })
  new DeliveryQueue(database).addReceived('one', clock.now())
  close()
  aheadMs += 6 * YEAR_MS
  const bridge = await start()
  await bridge.stop()
  open()
  const waiting = new DeliveryQueue(database).listFor({ systemId: 'app', owner: 'me', readsInbox: true }, 0, 10)
  expect(waiting).toMatchObject([{ inboxId: 'one' }])
})

test('the service starts after the system clock was set', () => {
  const unit = readFileSync(join(import.meta.dirname, '../../system/smsgw-bridge.service'), 'utf8')
  expect(unit).toMatch(/^After=.*\btime-sync\.target\b/m)
})
