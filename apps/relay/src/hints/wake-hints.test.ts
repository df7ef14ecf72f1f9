import { setTimeout as sleep } from 'node:timers/promises'
import { openLog } from '@smsgw/daemon/log/log'
import { Client } from 'pg'
import { afterEach, describe, expect, test } from 'vitest'
import { useTestDatabase } from '../testing/test-database.ts'
import { PostgresHintBus } from './postgres-hint-bus.ts'
import { hintPayloads, readHintPayload, type WakeHint } from './wake-hint.ts'
import { type HintBus, WakeHints } from './wake-hints.ts'

const store = useTestDatabase()
const opened: WakeHints[] = []

afterEach(async () => {
  await Promise.all(opened.splice(0).map((hints) => hints.close()))
})

const lines: string[] = []
const log = openLog('warn', { write: (line) => lines.push(line) })

/** Connects the WakeHints of a relay, and returns them with a list of the hints that this relay receives. */
async function relay(relayId: string, takes = false) {
  const hints = new WakeHints(new PostgresHintBus({ url: store.url, relayId, log }))
  opened.push(hints)
  const received: WakeHint[] = []
  let missed = 0
  await new Promise<void>((connected) =>
    hints.listen(
      (hint) => {
        received.push(hint)
        return takes
      },
      () => {
        missed += 1
        connected()
      },
    ),
  )
  return { hints, received, missed: () => missed }
}

/** A bus that sends each request only when `finish` is called. */
function slowBus() {
  const requests: (readonly WakeHint[])[] = []
  let finish: (() => void) | undefined
  const bus: HintBus = {
    publish(hints) {
      requests.push(hints)
      return new Promise((resolve) => {
        finish = resolve
      })
    },
    subscribe: () => undefined,
    close: async () => undefined,
  }
  return { ...bus, requests, finish: () => finish?.() }
}

describe('a hint', () => {
  test('a hint reaches listeners in its own process at once, and other relays once, soon after', async () => {
    const one = await relay('one')
    const other = await relay('other')
    one.hints.wake(['d', 'd', 'e'])
    one.hints.settingsChanged('a')
    expect(one.received.map(({ kind }) => kind)).toEqual(['wake', 'wake', 'wake', 'settings-changed'])
    await expect
      .poll(() => other.received)
      .toEqual([
        { kind: 'wake', deviceId: 'd' },
        { kind: 'wake', deviceId: 'e' },
        { kind: 'settings-changed', accountId: 'a' },
      ])
    expect(one.received).toHaveLength(4)
  })

  test('a hint of each kind arrives unchanged', async () => {
    const one = await relay('one')
    const other = await relay('other')
    one.hints.disconnect('d')
    one.hints.superseded('d', 7, 'boot')
    one.hints.accessChanged('a')
    one.hints.answered(['c'])
    await expect
      .poll(() => other.received)
      .toEqual([
        { kind: 'device-revoked', deviceId: 'd' },
        { kind: 'superseded', deviceId: 'd', connEpoch: 7, bootId: 'boot' },
        { kind: 'access-changed', accountId: 'a' },
        { kind: 'answered', cmdId: 'c' },
      ])
  })

  test('a hint that this process handles is not sent to other relays', async () => {
    const published: WakeHint[] = []
    const bus: HintBus = {
      publish: async (hints) => void published.push(...hints),
      subscribe: () => undefined,
      close: async () => undefined,
    }
    const hints = new WakeHints(bus)
    const stop = hints.listen((hint) => hint.kind === 'wake')
    hints.wake(['d'])
    hints.settingsChanged('a')
    await hints.close()
    expect(published).toEqual([{ kind: 'settings-changed', accountId: 'a' }])
    stop()
    hints.wake(['e'])
    await hints.close()
    expect(published).toHaveLength(2)
  })

  test('a hint that arises while others are being sent waits for them, and is sent once', async () => {
    const bus = slowBus()
    const hints = new WakeHints(bus)
    hints.wake(['first'])
    await expect.poll(() => bus.requests).toHaveLength(1)
    for (let turn = 0; turn < 50; turn += 1) {
      hints.wake(['d', 'e'])
      await sleep(1)
    }
    expect(bus.requests).toHaveLength(1)
    bus.finish()
    await expect.poll(() => bus.requests).toHaveLength(2)
    expect(bus.requests[1]).toEqual(['d', 'e'].map((deviceId) => ({ kind: 'wake', deviceId })))
    bus.finish()
    await hints.close()
  })

  test('a hint is dropped when ten thousand others wait', async () => {
    const bus = slowBus()
    const hints = new WakeHints(bus)
    hints.wake(['first'])
    await expect.poll(() => bus.requests).toHaveLength(1)
    hints.wake(Array.from({ length: 10_001 }, (_, number) => `device ${number}`))
    bus.finish()
    await expect.poll(() => bus.requests).toHaveLength(2)
    expect(bus.requests[1]).toHaveLength(10_000)
    bus.finish()
    await hints.close()
  })

  test('a hint that waits when the relay closes is still sent', async () => {
    const bus = slowBus()
    const hints = new WakeHints(bus)
    hints.wake(['first'])
    await expect.poll(() => bus.requests).toHaveLength(1)
    hints.wake(['last'])
    const closing = hints.close()
    bus.finish()
    await expect.poll(() => bus.requests).toHaveLength(2)
    bus.finish()
    await closing
    expect(bus.requests[1]).toEqual([{ kind: 'wake', deviceId: 'last' }])
  })

  test('a hint for thousands of devices is split into payloads that the database accepts', () => {
    const hints = Array.from(
      { length: 2_000 },
      (_, number): WakeHint => ({ kind: 'wake', deviceId: `device ${number} äöü` }),
    )
    const payloads = hintPayloads('relay', hints)
    expect(Math.max(...payloads.map((payload) => Buffer.byteLength(payload)))).toBeLessThan(8_000)
    expect(payloads.flatMap((payload) => readHintPayload(payload)?.hints)).toEqual(hints)
  })

  test('a hint of a kind that only a newer relay has is skipped, and malformed payloads are ignored', async () => {
    const other = await relay('other')
    const client = new Client({ connectionString: store.url })
    await client.connect()
    for (const payload of [
      '',
      '{',
      '[]',
      '{"from":"x"}',
      '{"from":"x","hints":[{"kind":"new"},{"kind":"wake","deviceId":"d"}]}',
    ]) {
      await client.query('SELECT pg_notify($1, $2)', ['smsgw_hints', payload])
    }
    await client.end()
    await expect.poll(() => other.received).toEqual([{ kind: 'wake', deviceId: 'd' }])
  })
})

test('a lost connection is restored automatically, reports that hints may be missed, and receives again', async () => {
  const one = await relay('one')
  const other = await relay('other')
  await store.database.$queryRaw`
    SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity WHERE application_name = 'smsgw hints' AND datname = current_database()`
  one.hints.wake(['lost perhaps'])
  await expect.poll(() => [one.missed(), other.missed()]).toEqual([2, 2])
  one.hints.wake(['d'])
  await expect.poll(() => other.received).toContainEqual({ kind: 'wake', deviceId: 'd' })
  expect(lines.join('')).toContain('database connection for hints lost')
})
