import { DatabaseSync } from 'node:sqlite'
import { RandomChoices } from '@smsgw/simulation/random-choices'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { TrustedClock } from '../time/trusted-clock.ts'
import { trustedMs } from '../time/trusted-time.ts'
import { ChangeWriter } from './apply-change.ts'
import { JournalRetention } from './retention.ts'
import { schema, upgrades } from './schema.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const today = Date.UTC(2027, 0, 15)

let machine: Machine

beforeEach(() => {
  machine = new Machine()
})

afterEach(() => machine.database.close())

test('removes content that was written before the clock was set back', () => {
  machine.setClock(today + 10 * hour)
  machine.receive('ahead')
  machine.setClock(today)
  machine.receive('after')
  machine.pass(61 * minute)
  expect(machine.contents()).toEqual(['ahead'])
  machine.pass(61 * minute)
  expect(machine.contents()).toEqual([])
})

test('counts the age of content from the first trusted time, on a machine that starts in 1970', () => {
  machine.setClock(5000, 'lost')
  machine.receive('started in 1970')
  machine.pass(day)
  machine.setClock(today)
  machine.pass(59 * minute)
  expect(machine.contents()).toEqual(['started in 1970'])
  machine.pass(3 * minute)
  expect(machine.contents()).toEqual([])
})

test('counts the age of records from the first trusted time, on a machine that starts in 1970', () => {
  machine.setClock(5000, 'lost')
  machine.end('c1')
  machine.settle('p1')
  machine.receive('event')
  machine.setClock(today)
  machine.prune()
  machine.setClock(today + 8 * day - minute)
  machine.prune()
  expect(machine.rows()).toEqual({ commands: 1, inbound: 1, events: 1 })
  machine.pass(3 * minute)
  expect(machine.rows()).toEqual({ commands: 0, inbound: 0, events: 0 })
})

test('removes the oldest events first, so that there is no gap in the numbers after the clock was set back', () => {
  machine.setClock(today + 7 * day)
  machine.receive('a')
  machine.setClock(today)
  machine.receive('b')
  machine.setClock(today + 7 * day)
  machine.receive('c')
  machine.setClock(today + 8 * day + minute)
  machine.prune()
  const seqs = machine.database.prepare('SELECT seq FROM events ORDER BY seq').all()
  expect(seqs.map(({ seq }) => seq)).toEqual([1, 2, 3])
})

test('removes acknowledged content with limit 0, also while the clock is not trusted', () => {
  machine.setClock(5000, 'lost')
  machine.receive('secret')
  machine.contentMs = 0
  machine.prune()
  expect(machine.contents()).toEqual([])
})

test('corrects the dates of records of an earlier release', () => {
  machine.database.exec('DROP INDEX events_written')
  machine.setClock(today)
  machine.receive('old')
  machine.end('c1')
  machine.database.exec('UPDATE events SET written_ms = 5000; UPDATE commands SET ended_ms = 5000')
  machine.database.exec(String(upgrades[2]))
  machine.pass(59 * minute)
  expect(machine.contents()).toEqual(['old'])
  expect(machine.rows()).toMatchObject({ commands: 1 })
})

/** Runs 100 schedules. While the trusted time is right, content must be removed within two minutes after it is due. */
test('removes content neither early nor late, for any changes of the clock', () => {
  for (let seed = 1; seed <= 100; seed += 1) {
    const random = new RandomChoices(seed)
    const world = new Machine()
    const received: { readonly text: string; readonly atMs: number }[] = []
    let realMs = today
    let trustedSinceMs: number | undefined = today
    const steps: readonly (() => void)[] = [
      () => {
        const text = String(received.length)
        world.receive(text)
        received.push({ text, atMs: realMs })
      },
      () => {
        const ms = random.below(90 * minute)
        realMs += ms
        world.pass(ms)
      },
      () => {
        world.setClock(random.below(2_000_000) * 1_000_000, 'lost')
        trustedSinceMs = undefined
      },
      () => {
        world.setClock(realMs)
        trustedSinceMs ??= realMs
      },
      () => world.restart(),
    ]
    for (let count = 0; count < 30; count += 1) {
      random.oneOf(steps)()
      const left = new Set(world.contents())
      for (const { text, atMs } of received) {
        const ageMs = realMs - atMs
        const isEarly = !left.has(text) && ageMs < hour
        const dueForMs = trustedSinceMs === undefined ? 0 : realMs - Math.max(atMs, trustedSinceMs) - hour
        const isLate = left.has(text) && dueForMs > 2 * minute
        if (isEarly || isLate) expect.unreachable(`seed ${seed}, step ${count}: ${isEarly ? 'early' : 'late'}`)
      }
    }
    world.database.close()
  }
})

/**
 * A journal whose old content is removed every minute, and the clock of its machine. The relay acknowledges every
 * event.
 */
class Machine {
  readonly database = new DatabaseSync(':memory:')
  contentMs = hour
  readonly #writer: ChangeWriter
  #retention = new JournalRetention(this.database)
  #system: 'synchronised' | 'lost' = 'synchronised'
  #systemMs = today
  #monotonicMs = 0
  #tags = 0
  readonly #time = new TrustedClock({
    clock: { nowMs: () => this.#monotonicMs, after: () => ({ cancel: () => undefined }) },
    bootId: 'boot',
    systemMs: () => this.#systemMs,
    judgeSystem: () => this.#system,
    onChanged: () => undefined,
  })

  constructor() {
    this.database.exec(schema)
    this.database.exec("INSERT INTO journal (id) VALUES ('journal-1')")
    this.#writer = new ChangeWriter(
      this.database,
      () => trustedMs(this.#time),
      () => String(++this.#tags),
    )
  }

  setClock(systemMs: number, system: 'synchronised' | 'lost' = 'synchronised'): void {
    this.#systemMs = systemMs
    this.#system = system
    this.#time.look()
  }

  pass(ms: number): void {
    for (let left = ms; left > 0; left -= minute) {
      const step = Math.min(left, minute)
      this.#systemMs += step
      this.#monotonicMs += step
      this.prune()
    }
  }

  restart(): void {
    this.#retention = new JournalRetention(this.database)
    this.prune()
  }

  prune(): void {
    this.#retention.apply({ nowMs: trustedMs(this.#time), recordsMs: 8 * day, contentMs: this.contentMs })
  }

  receive(text: string): void {
    const content = { type: 'SMS', id: text, receivedAt: '2027-01-15T08:00:00Z', sender: '1', simNumber: 1, parts: 1 }
    this.#writer.write([{ kind: 'event', text: JSON.stringify({ kind: 'received', ...content, text }) }])
    this.#writer.finish()
    this.database.exec('UPDATE journal SET mark = next_seq - 1')
  }

  end(cmdId: string): void {
    this.#writer.write([{ kind: 'tombstone', cmdId, at: this.#time.stamp() }])
  }

  settle(pduId: string): void {
    const at = this.#time.stamp()
    this.#writer.write([
      { kind: 'inbound-received', pduId, iccid: 'i', simNumber: 1, pdu: '00', at },
      { kind: 'inbound-settled', pduId, as: 'silent' },
    ])
  }

  contents(): unknown[] {
    const rows = this.database.prepare(
      "SELECT event ->> 'text' AS text FROM events WHERE event ->> 'kind' = 'received'",
    )
    return rows.all().map(({ text }) => text)
  }

  rows(): Record<string, unknown> {
    const [row] = this.database
      .prepare(
        'SELECT (SELECT count(*) FROM commands) commands, (SELECT count(*) FROM inbound) inbound, (SELECT count(*) FROM events) events',
      )
      .all()
    return { ...row }
  }
}
