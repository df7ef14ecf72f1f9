import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import type { SubmitOutcome } from '@smsgw/modem/send/submit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FieldOpener } from '../sending/message/encrypted-field.ts'
import { defaultSendingLimits } from '../sending/schedule/sending-settings.ts'
import { Sender } from '../sending/sender.ts'
import type { SendingSim } from '../sending/sending-sim.ts'
import { sendCommand } from '../testing/sender-fixture.ts'
import { monotonicClock } from '../time/monotonic-clock.ts'
import { TrustedClock } from '../time/trusted-clock.ts'
import { type Journal, openJournal } from './journal.ts'

let folder: string
let journal: Journal
let thread: Worker
let lost: Error[]

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-journal-'))
  lost = []
  process.once('worker', (worker: Worker) => {
    thread = worker
  })
  const path = join(folder, 'journal.db')
  ;({ journal } = await openJournal({ path, newJournalId: 'j', onLost: (error) => lost.push(error) }))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

const note = { kind: 'note', name: 'n', value: 1 } as const

test('reports a thread that has ended once, and rejects pending and later calls', async () => {
  const waiting = [journal.write([note]), journal.read('notes', {}), journal.write([note], { mayWaitMs: 4 })]
  const ends = Promise.allSettled(waiting)
  await thread.terminate()
  const reasons = (await ends).flatMap((end) => (end.status === 'rejected' ? [String(end.reason)] : []))
  expect(reasons.length).toBeGreaterThan(0)
  await expect(journal.write([note])).rejects.toThrow('the journal cannot be used')
  await expect(journal.read('notes', {})).rejects.toThrow('the journal cannot be used')
  await expect.poll(() => lost.length).toBe(1)
})

test.each(['before it is asked', 'while it writes'])(
  'writes nothing to a modem when the thread ends %s',
  async (when) => {
    const words: string[] = []
    const sender = senderOver(journal)
    await sender.accept([sendCommand('a', { content: { text: 'long '.repeat(100) } })])
    const sim: SendingSim = {
      simNumber: 1,
      iccid: 'iccid-1',
      phoneNumber: undefined,
      submit: async (_, { beforePdu, afterResult }) => {
        const ended = when === 'while it writes' ? undefined : await thread.terminate()
        // The write is so large that the thread is killed before its COMMIT.
        if (ended === undefined) journal.write(Array.from({ length: 50_000 }, () => note)).catch(() => undefined)
        const word = beforePdu({ cancelled: false }).catch(() => 'failed')
        if (ended === undefined) await thread.terminate()
        words.push(await word)
        const outcome: SubmitOutcome = { kind: 'not-sent', why: 'before-pdu-failed' }
        void afterResult?.(outcome)
        return outcome
      },
    }
    await sender.simReady(sim)
    // The submission is retried, as for any modem that accepts nothing, and fails again.
    await expect.poll(() => words.length).toBeGreaterThan(1)
    sender.stop()
    expect(new Set(words)).toEqual(new Set(['failed']))
    expect(lost).toHaveLength(1)
  },
)

function senderOver(over: Journal): Sender {
  const time = new TrustedClock({
    clock: monotonicClock,
    bootId: 'boot',
    systemMs: Date.now,
    judgeSystem: () => 'synchronised',
    onChanged: () => undefined,
  })
  const nothing = () => undefined
  return new Sender({
    journal: over,
    clock: monotonicClock,
    time,
    random: Math.random,
    limits: defaultSendingLimits,
    opener: new FieldOpener({}),
    journalWatch: { onProblem: nothing },
    onReference: nothing,
    onProblem: nothing,
    onOpenChanged: nothing,
  })
}
