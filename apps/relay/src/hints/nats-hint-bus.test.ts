import { openLog } from '@smsgw/daemon/log/log'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { useTestDatabase } from '../testing/test-database.ts'
import { NatsHintBus } from './nats-hint-bus.ts'
import { PostgresHintBus } from './postgres-hint-bus.ts'
import { publishHints } from './publish-hints-statement.ts'
import { NatsServer } from './testing/nats-server.ts'
import type { WakeHint } from './wake-hint.ts'
import { WakeHints } from './wake-hints.ts'

const PATIENT = { timeout: 90_000 }
const store = useTestDatabase()
const opened: WakeHints[] = []
const lines: string[] = []
const log = openLog('info', { write: (line) => lines.push(line) })
let server: NatsServer

beforeEach(async () => {
  lines.length = 0
  server = await new NatsServer().start()
})

afterEach(async () => {
  await Promise.all(opened.splice(0).map((hints) => hints.close()))
  await server.stop()
})

interface About {
  readonly streamId?: string
  readonly url?: string
}

/** Starts the hints of a relay, and returns them with a list of the hints that this relay receives. */
function relay(relayId: string, { streamId = 'stream', url = `nats://127.0.0.1:${server.port}` }: About = {}) {
  const fallback = new PostgresHintBus({ url: store.url, relayId, log })
  const hints = new WakeHints(new NatsHintBus({ url, streamId, relayId, log, fallback }))
  opened.push(hints)
  const received: WakeHint[] = []
  const counts = { missed: 0 }
  hints.listen(
    (hint) => {
      received.push(hint)
      return false
    },
    () => {
      counts.missed += 1
    },
  )
  return { hints, received, counts }
}

const connected = (count: number) =>
  vi.waitUntil(() => lines.filter((line) => line.includes('hint server connected')).length === count, PATIENT)
const wake = (deviceId: string) => ({ kind: 'wake', deviceId })

test('carries hints of a relay to the others of its installation, and not over the database', async () => {
  const [one, other, stranger] = [relay('one'), relay('other'), relay('stranger', { streamId: 'another' })]
  await connected(3)
  one.hints.wake(['d'])
  await expect.poll(() => other.received, PATIENT).toEqual([wake('d')])
  expect(server.published).toEqual(['smsgw.hints.stream'])
  expect(one.received).toEqual([wake('d')])
  expect(stranger.received).toEqual([])
})

test('sends hints over the database while the server is unavailable, and reports that hints may be missed', async () => {
  const [one, other] = [relay('one'), relay('other')]
  await connected(2)
  await server.stop()
  await vi.waitUntil(() => lines.filter((line) => line.includes('hint server unavailable')).length === 2, PATIENT)
  one.hints.wake(['during the outage'])
  await expect.poll(() => other.received, PATIENT).toEqual([wake('during the outage')])
  const before = other.counts.missed
  await server.start()
  await connected(4)
  expect(other.counts.missed).toBe(before + 1)
  one.hints.wake(['after it'])
  await expect.poll(() => other.received, PATIENT).toEqual([wake('during the outage'), wake('after it')])
  expect(server.published).toHaveLength(1)
})

test('uses the database when it starts without the server, and connects when the server appears', async () => {
  await server.stop()
  const [one, other] = [relay('one'), relay('other')]
  await vi.waitUntil(() => other.counts.missed === 1 && one.counts.missed === 1, PATIENT)
  one.hints.wake(['d'])
  await expect.poll(() => other.received, PATIENT).toEqual([wake('d')])
  await server.start()
  await connected(2)
})

test('receives hints of command line processes, which use the database', async () => {
  const one = relay('one')
  await connected(1)
  await vi.waitUntil(() => one.counts.missed === 2, PATIENT)
  await publishHints(store.database, [{ kind: 'settings-changed', accountId: 'a' }])
  await expect.poll(() => one.received, PATIENT).toEqual([{ kind: 'settings-changed', accountId: 'a' }])
})

test('sends the password of the address, and does not log it', async () => {
  await server.stop()
  server = await new NatsServer('p@ss').start()
  relay('one', { url: `nats://relay:p%40ss@127.0.0.1:${server.port}` })
  await connected(1)
  relay('other', { url: `nats://relay:wrong@127.0.0.1:${server.port}` })
  await vi.waitUntil(() => lines.some((line) => line.includes('hint server unavailable')), PATIENT)
  expect(lines.join('')).not.toMatch(/p@ss|p%40ss|wrong/)
})

test('closes while the server is unavailable', async () => {
  await server.stop()
  const one = relay('one')
  await vi.waitUntil(() => lines.some((line) => line.includes('hint server unavailable')), PATIENT)
  await one.hints.close()
  opened.length = 0
})
