import { beforeEach, expect, test } from 'vitest'
import { SenderFixture, sendCommand } from '../testing/sender-fixture.ts'

let world: SenderFixture
/** What reached the disk and the modem, in this order. */
let log: string[]

beforeEach(async () => {
  world = new SenderFixture()
  await world.restart()
  log = []
  world.disk.refuses = (change) => {
    if (change.kind === 'command-received') log.push('command on disk')
    if (change.kind === 'part-committed') log.push('COMMIT on disk')
    return false
  }
})

/** Makes a SIM ready that logs when it gets a message and when it sends the PDU. */
async function simReady(): Promise<void> {
  const sim = world.sim(1)
  await world.sender.simReady({
    ...sim,
    submit: (pdu, options) => {
      log.push('modem asked')
      const beforePdu: typeof options.beforePdu = async (withdrawal) => {
        const word = await options.beforePdu(withdrawal)
        log.push(word)
        return word
      }
      return sim.submit(pdu, { ...options, beforePdu })
    },
  })
}

test('asks the modem for a prompt when the command is on disk, and sends the PDU when its COMMIT is on disk', async () => {
  await simReady()
  await world.accept(sendCommand('b'))
  expect(log).toEqual(['command on disk', 'modem asked', 'COMMIT on disk', 'go'])
  expect(world.sent).toHaveLength(1)
})

test.each([
  ['that was sent', async () => void (await world.accept(sendCommand('b')))],
  [
    'that was cancelled before it arrived',
    async () => {
      const cancelled = world.sender.cancel('b')
      await world.pass(10)
      await cancelled
    },
  ],
])('does not send a command %s, neither in the same process nor in the next', async (_, before) => {
  await simReady()
  await before()
  await world.pass(60_000)
  const sent = world.sent.length
  await world.accept(sendCommand('b'))
  await world.restart()
  world.sender.confirm()
  await simReady()
  await world.accept(sendCommand('b'))
  await world.pass(60_000)
  expect(world.sent).toHaveLength(sent)
})

test('does not send a command that could not be written, and sends it once when the relay repeats it', async () => {
  await simReady()
  world.disk.refuses = ({ kind }) => kind === 'command-received'
  const failing = expect(world.sender.accept([sendCommand('b')])).rejects.toThrow('full')
  await world.pass(60_000)
  await failing
  expect(log).toEqual([])
  expect(world.sent).toEqual([])
  expect(world.sender.open).toBe(0)
  world.disk.refuses = () => false
  await world.accept(sendCommand('b'))
  await world.pass(60_000)
  expect(world.sent.map(({ text }) => text)).toEqual(['text of b'])
  expect(await world.events('failed')).toEqual([])
})
