import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { openLog } from '@smsgw/daemon/log/log'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { Notes, openState } from '../state/bridge-state.ts'
import { Channel } from '../state/channel.ts'
import { SentMessages } from '../state/sent-messages.ts'
import { ScriptedAccount } from '../testing/account.ts'
import { AccountFollower } from './account-follower.ts'

let folder: string
let database: DatabaseSync
let account: ScriptedAccount
let texts: string[]
let states: string[]
let failNext = false
const DAY_MS = 86_400_000
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-follower-'))
  database = openState(folder)
  account = new ScriptedAccount()
  texts = []
  states = []
  failNext = false
})
afterEach(() => {
  database.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Starts to follow the account. Resolves when the stream is open. */
async function follow() {
  const channel = new Channel('test', database, openLog('fatal', process.stdout), {})
  const connected = Promise.withResolvers<void>()
  const follower = new AccountFollower({
    channel,
    api: account.client(),
    async onReceived({ text = '' }) {
      if (failNext) {
        failNext = false
        throw new Error('not passed on')
      }
      texts.push(text)
    },
    async onState({ state }, detail) {
      states.push(`${detail} ${state}`)
    },
    onConnected: (isConnected) => isConnected && connected.resolve(),
  })
  const running = follower.run()
  await connected.promise
  return {
    follower,
    async stop() {
      channel.stop()
      await running
    },
  }
}

test('forwards each received message once, but no message from before the first start', async () => {
  account.receive('old')
  const first = await follow()
  account.receive('one')
  account.receive('two')
  await expect.poll(() => texts).toEqual(['one', 'two'])
  await first.stop()
  account.receive('while stopped')
  const second = await follow()
  account.receive('three')
  await expect.poll(() => texts).toEqual(['one', 'two', 'while stopped', 'three'])
  await second.stop()
})

test('forwards a message that arrives during the first start', async () => {
  account.receive('old')
  account.onListed = () => {
    account.onListed = () => undefined
    account.receive('during')
  }
  const { stop } = await follow()
  await expect.poll(() => texts).toEqual(['during'])
  await stop()
})

test('forwards a message that arrives between the first connect and the first read of the inbox', async () => {
  account.receive('old')
  account.onOpened = () => account.receive('early')
  const { stop } = await follow()
  await expect.poll(() => texts).toEqual(['early'])
  await stop()
})

test('reads the inbox after a gap in the stream, also for messages with an older time', async () => {
  account.receive('old')
  const first = await follow()
  account.receive('one')
  await expect.poll(() => texts).toEqual(['one'])
  await first.stop()
  const yesterday = new Date(account.now() - DAY_MS)
  account.receive('late', { at: yesterday, hasEvent: false })
  account.receive('missed', { hasEvent: false })
  account.forgetEvents()
  const second = await follow()
  await expect.poll(() => texts.toSorted()).toEqual(['late', 'missed', 'one'])
  await second.stop()
})

test.each([
  ['a day ahead', DAY_MS],
  ['a year ahead', 365 * DAY_MS],
  ['a day behind', -DAY_MS],
  ['a year behind', -365 * DAY_MS],
])('with a clock that is %s, forwards each message once after a gap', async (_, offsetMs) => {
  vi.useFakeTimers({ toFake: ['Date'], now: account.now() + offsetMs })
  onTestFinished(() => void vi.useRealTimers())
  account.receive('old')
  const first = await follow()
  account.receive('one')
  await expect.poll(() => texts).toEqual(['one'])
  await first.stop()
  account.receive('missed', { hasEvent: false })
  account.forgetEvents()
  const second = await follow()
  await expect.poll(() => texts).toEqual(['one', 'missed'])
  await second.stop()
  vi.useRealTimers()
  account.receive('after the clock was set', { hasEvent: false })
  account.forgetEvents()
  const third = await follow()
  await expect.poll(() => texts).toEqual(['one', 'missed', 'after the clock was set'])
  await third.stop()
})

test('a position from the future, which was stored with a wrong clock, misses no message', async () => {
  const first = await follow()
  await first.stop()
  const notes = new Notes(database)
  notes.write('test.followed-until', String(account.now() + 365 * DAY_MS))
  account.receive('missed', { hasEvent: false })
  account.forgetEvents()
  const second = await follow()
  await expect.poll(() => texts).toEqual(['missed'])
  await expect.poll(() => Number(notes.read('test.followed-until'))).toBeLessThan(account.now() + DAY_MS)
  await second.stop()
})

test('repeats a message that was not forwarded, in its order', async () => {
  const followed = await follow()
  account.receive('zero')
  await expect.poll(() => texts).toEqual(['zero'])
  failNext = true
  account.receive('one')
  account.receive('two')
  await expect.poll(() => texts).toEqual(['zero', 'one', 'two'])
  await followed.stop()
})

test('reports each state of a message that the channel sent, also if it changed while the bridge was stopped', async () => {
  const { id } = await account.client().messages.send({ to: '+447400123456', text: 'Hello' }, { idempotencyKey: 'a' })
  const sent = new SentMessages(database, 'test')
  sent.add(id, 'door', Date.now())
  const first = await follow()
  account.setState(id, 'Sent')
  await expect.poll(() => states).toEqual(['door Sent'])
  await first.stop()
  account.setState(id, 'Delivered')
  account.forgetEvents()
  const second = await follow()
  await expect.poll(() => states).toEqual(['door Sent', 'door Delivered'])
  expect(sent.list()).toEqual([])
  await second.stop()
})

test('reports a state whose event arrived before the bridge ended and stored the id of the message', async () => {
  const { id } = await account.client().messages.send({ to: '+447400123456', text: 'Hello' }, { idempotencyKey: 'a' })
  const first = await follow()
  account.setState(id, 'Sent')
  account.receive('after the state')
  await expect.poll(() => texts).toEqual(['after the state'])
  await first.stop()
  new SentMessages(database, 'test').add(id, 'door', Date.now())
  const second = await follow()
  await expect.poll(() => states).toEqual(['door Sent'])
  await second.stop()
})

test('reports a state once if its event arrives before the id of the message is stored', async () => {
  const { id } = await account.client().messages.send({ to: '+447400123456', text: 'Hello' }, { idempotencyKey: 'a' })
  const { follower, stop } = await follow()
  account.setState(id, 'Sent')
  new SentMessages(database, 'test').add(id, 'door', Date.now())
  await Promise.all([follower.reportNow(id), follower.reportNow(id)])
  expect(states).toEqual(['door Sent'])
  await stop()
})
