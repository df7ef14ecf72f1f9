import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { SendCommand } from '@smsgw/contract/link/command'
import { Modem } from '@smsgw/modem/modem'
import { openJournal } from '../src/journal/journal.ts'
import { openPort } from '../src/ports/open-port.ts'
import { FieldOpener } from '../src/sending/message/encrypted-field.ts'
import { defaultSendingLimits } from '../src/sending/schedule/sending-settings.ts'
import { Sender } from '../src/sending/sender.ts'
import { EmulatorProcess } from '../src/testing/emulator-process.ts'
import { monotonicClock } from '../src/time/monotonic-clock.ts'
import { TrustedClock } from '../src/time/trusted-clock.ts'
import { rawRound } from './raw-round.ts'
import { roundText } from './round.ts'

/**
 * Compares two ways to send. One uses the queue, the journal (two commits that wait for the disk) and the driver. The
 * other is a loop that only exchanges the same bytes on the same port. Rounds of sending and of the loop alternate.
 * `--folder` puts the journal on another disk.
 */
const rounds = 7
const perRound = 1000
const requiredPerSecond = 600

const { values } = parseArgs({ options: { folder: { type: 'string' } } })
const emulator = await EmulatorProcess.start(['--chunking', 'whole', '--personality', 'generic'])
const folder = mkdtempSync(join(values.folder ?? emulator.folder, 'journal-'))
const opened = await openJournal({
  path: join(folder, 'journal.db'),
  newJournalId: 'bench',
  onLost: (error) => {
    throw error
  },
})
try {
  const pairs: { readonly raw: number; readonly sender: number }[] = []
  for (let round = 0; round < rounds; round += 1) {
    pairs.push({ raw: await raw(), sender: await sent(`${round}`) })
  }
  const sender = medianOf(pairs.map((each) => each.sender))
  const isFast = sender >= requiredPerSecond
  print(`syncing a small write to disk takes ${opened.fsyncMs.toFixed(2)} ms`)
  print(`sender with a durable journal  ${sender.toFixed(0)} submits/s`)
  print(`raw loop                       ${medianOf(pairs.map((each) => each.raw)).toFixed(0)} submits/s`)
  print(`ratio                          ${medianOf(pairs.map((each) => each.sender / each.raw)).toFixed(2)}`)
  print(`goal on the pseudo-terminal: ${requiredPerSecond} submissions a second: ${isFast ? 'reached' : 'NOT REACHED'}`)
  process.exitCode = isFast ? 0 : 1
} finally {
  await opened.journal.close()
  rmSync(folder, { recursive: true, force: true })
  await emulator.stop()
}

async function raw(): Promise<number> {
  const port = await openPort(emulator.pty)
  try {
    return (1000 * perRound) / (await rawRound(port, perRound)).submit
  } finally {
    await port.close()
  }
}

/** The time from the first command until the last result is on disk. */
async function sent(round: string): Promise<number> {
  const port = await openPort(emulator.pty)
  const modem = new Modem({ port, clock: monotonicClock, onEvent: () => undefined })
  const started = await modem.start()
  if (started.kind !== 'started') throw new Error(`the modem could not be set up: ${JSON.stringify(started)}`)
  await modem.sweep()
  const time = new TrustedClock({
    clock: monotonicClock,
    bootId: 'bench',
    systemMs: Date.now,
    judgeSystem: () => 'synchronised',
    onChanged: () => undefined,
  })
  const { promise: emptied, resolve } = Promise.withResolvers<void>()
  const sender = new Sender({
    journal: opened.journal,
    clock: monotonicClock,
    time,
    random: Math.random,
    limits: defaultSendingLimits,
    opener: new FieldOpener({}),
    journalWatch: {
      onProblem: (error) => {
        throw error
      },
    },
    onReference: () => undefined,
    onProblem: (error) => {
      throw error
    },
    onOpenChanged: (open) => {
      if (open === 0) resolve()
    },
  })
  await sender.accept(commands(round))
  const startMs = performance.now()
  await sender.simReady({
    simNumber: 1,
    iccid: '8944000000000000001',
    phoneNumber: undefined,
    submit: (pdu, options) => modem.submit(pdu, options),
  })
  await emptied
  // The journal writes in order, so when this note is on disk, all results are on disk too.
  await opened.journal.write([{ kind: 'note', name: 'round', value: round }])
  const tookMs = performance.now() - startMs
  sender.stop()
  modem.stop()
  await port.close()
  return (1000 * perRound) / tookMs
}

function commands(round: string): SendCommand[] {
  return Array.from({ length: perRound }, (_, at) => ({
    kind: 'send',
    cmdId: `${round}-${at}`,
    messageId: `${round}-${at}`,
    phoneNumber: '+447700900123',
    content: { text: roundText },
    isEncrypted: false,
    withDeliveryReport: false,
    priority: 0,
    acceptedAt: new Date().toISOString(),
    onUncertain: 'resolve',
  }))
}

function medianOf(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[values.length >> 1] ?? Number.NaN
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
