import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { TimeoutError, UnavailableError } from '@smsgw/client/errors'
import { openLog } from '@smsgw/daemon/log/log'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { openState } from '../state/bridge-state.ts'
import { SentMessages } from '../state/sent-messages.ts'
import { steadyNow } from '../state/steady-clock.ts'
import { ScriptedAccount } from '../testing/account.ts'
import type { MqttCommand } from './command.ts'
import { CommandQueue } from './command-queue.ts'
import { CommandRunner, type CommandRunnerOptions } from './run-commands.ts'
import { topicsBelow } from './topics.ts'

const HOUR_MS = 3_600_000

let folder: string
let database: DatabaseSync
let queue: CommandQueue
let account: ScriptedAccount
let runner: CommandRunner
let now: number
let stop: () => Promise<void>
let results: { id: string; accepted: boolean; error?: string }[]
let packetId: number
const texts = () => account.sent.map(({ text }) => text)
const unavailable = new UnavailableError({ status: 500, message: 'internal error' })

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-runner-'))
  database = openState(folder)
  queue = new CommandQueue(database)
  account = new ScriptedAccount()
  now = 0
  results = []
  packetId = 0
  start({
    now: () => now,
    // Time passes only during pauses.
    async pause(ms) {
      await setImmediate()
      now += ms
    },
  })
})
afterEach(async () => {
  await stop()
  database.close()
  rmSync(folder, { recursive: true, force: true })
})

function start(clock: Pick<CommandRunnerOptions, 'now' | 'pause'>): void {
  const stopping = new AbortController()
  runner = new CommandRunner({
    api: account.client(),
    queue,
    broker: {
      publishOnce: async (_, __, payload) => void results.push(JSON.parse(payload)),
      answer: async () => undefined,
    },
    channel: {
      sent: new SentMessages(database, 'test'),
      log: openLog('fatal', process.stdout),
      signal: stopping.signal,
    },
    topics: topicsBelow('smsgw'),
    ...clock,
    onSent: () => undefined,
  })
  const running = runner.run()
  stop = async () => {
    stopping.abort()
    await running
  }
}

function add(text: string): void {
  addCommand({ to: '+447400123456', text, id: text })
}

function addCommand(command: MqttCommand): void {
  packetId += 1
  const payload = JSON.stringify(command)
  queue.add(
    { cmd: 'publish', topic: 'smsgw/send', qos: 1, dup: false, retain: false, messageId: packetId, payload },
    command.text,
  )
  runner.wake()
}

test('a command that always fails does not block other commands, and has a failure result after an hour', async () => {
  let sentAt = 0
  account.errorFor = (text) => {
    if (text === 'two') sentAt = now
    return text.startsWith('bad') ? unavailable : undefined
  }
  for (const text of ['bad 1', 'bad 2', 'one', 'two']) add(text)
  await expect.poll(texts).toEqual(['one', 'two'])
  expect(sentAt).toBeLessThan(60_000)
  await expect.poll(() => now).toBeGreaterThan(HOUR_MS)
  expect(results.filter(({ accepted }) => !accepted)).toEqual([])
  add('three')
  const error = 'this command was dropped because it failed for an hour: internal error'
  await expect
    .poll(() => results.filter(({ accepted }) => !accepted))
    .toEqual([
      { id: 'bad 1', accepted: false, error },
      { id: 'bad 2', accepted: false, error },
    ])
  expect(queue.first()).toBeUndefined()
})

test('commands whose requests time out do not block other commands, and use little time', async () => {
  let sentAt = 0
  let attempts = 0
  account.errorFor = (text) => {
    if (text === 'two') sentAt = now
    if (!text.startsWith('slow')) return undefined
    now += 15_000
    attempts += 1
    return new TimeoutError('no answer from the API within 15000 ms')
  }
  for (const text of ['slow 1', 'slow 2', 'one', 'two']) add(text)
  await expect.poll(texts).toEqual(['one', 'two'])
  expect(sentAt).toBeLessThan(90_000)
  await expect.poll(() => now).toBeGreaterThan(HOUR_MS)
  // Each attempt blocks the other commands for 15 s.
  expect((attempts * 15_000) / now).toBeLessThan(0.2)
  add('three')
  await expect.poll(() => results.filter(({ accepted }) => !accepted)).toHaveLength(2)
})

test('a command that fails for some minutes is sent later', async () => {
  account.errorFor = (text) => (text === 'late' && now < 600_000 ? unavailable : undefined)
  for (const text of ['late', 'one']) add(text)
  await expect.poll(texts).toEqual(['one', 'late'])
})

test('gives up no command and keeps the order while the API answers everything with 5xx', async () => {
  const order = ['one', 'two', 'three', 'four']
  let resultsInOutage: number | undefined
  // The outage ends when the first command is tried after more than five hours. Between its attempts, later commands
  // are tried.
  account.errorFor = (text) => {
    if (text === 'one' && now > 5 * HOUR_MS) resultsInOutage ??= results.length
    return resultsInOutage === undefined ? unavailable : undefined
  }
  for (const text of order) add(text)
  await expect.poll(texts).toEqual(order)
  expect(resultsInOutage).toBe(0)
})

test('gives up no command in an outage that begins after a single command has failed', async () => {
  let isOut = true
  account.errorFor = (text) => (isOut && text !== 'one' ? unavailable : undefined)
  for (const text of ['bad', 'one']) add(text)
  await expect.poll(texts).toEqual(['one'])
  add('two')
  await expect.poll(() => now).toBeGreaterThan(5 * HOUR_MS)
  isOut = false
  await expect.poll(() => texts().toSorted()).toEqual(['bad', 'one', 'two'])
  expect(results.every(({ accepted }) => accepted)).toBe(true)
})

test('a failed command is repeated within seconds although the clock was set back', async () => {
  onTestFinished(() => void vi.useRealTimers())
  await stop()
  start({ now: steadyNow })
  let attempts = 0
  account.errorFor = () => {
    attempts += 1
    return unavailable
  }
  add('one')
  await expect.poll(() => attempts).toBeGreaterThan(0)
  vi.setSystemTime(Date.now() - HOUR_MS)
  account.errorFor = () => undefined
  await expect.poll(texts).toEqual(['one'])
})

test('sends to short codes and other numbers, but refuses a number that is not valid', async () => {
  addCommand({ to: '72727', text: 'STATUS' })
  addCommand({ to: ['72727', '+447400123456'], text: 'mixed' })
  addCommand({ to: ['72727', '74001234567'], text: 'wrong' })
  await expect.poll(() => results.map(({ accepted }) => accepted)).toEqual([true, true, false])
  expect(account.sent.map(({ to }) => to)).toEqual([['72727'], ['72727', '+447400123456']])
})
