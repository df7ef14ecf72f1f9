// The system clock is set while clients are connected.
import { afterEach, expect, test, vi } from 'vitest'
import { LOGIN, SMS, withSmppBridge } from '../testing/smpp-bridge.ts'

const HOUR_MS = 3_600_000
const current = withSmppBridge()
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** The first or second part of a text, with a user data header. */
const part = (text: string, number: number) => ({
  ...SMS,
  esm_class: 0x40,
  short_message: { udh: Buffer.from([5, 0, 3, 7, 2, number]), message: text },
})

test('a clock that is set forward does not end the wait for the missing parts of a message', async () => {
  const { bridge } = current
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] })
  await bridge.start()
  const client = await bridge.bound()
  await client.ask('submit_sm', part('one ', 1))
  vi.setSystemTime(Date.now() + HOUR_MS)
  // Old parts are removed every ten seconds.
  vi.advanceTimersByTime(10_000)
  await client.ask('submit_sm', part('two', 2))
  expect(bridge.account.sent).toMatchObject([{ text: 'one two' }])
})

test('a receiver that does not answer is disconnected although the clock was set back', async () => {
  const { bridge } = current
  await bridge.start({}, { answerMs: 300 })
  const silent = await bridge.bound()
  silent.answerTo = () => undefined
  bridge.account.receive('one')
  await expect.poll(() => silent.received).toHaveLength(1)
  vi.setSystemTime(Date.now() - HOUR_MS)
  await silent.closed
})

test('after failed binds, an address waits a minute although the clock was set back', async () => {
  const { bridge } = current
  await bridge.start()
  const bind = async (login: object) => (await bridge.connect()).statusOf('bind_transceiver', login)
  for (let failures = 0; failures < 5; failures += 1)
    expect(await bind({ ...LOGIN, password: 'wrong' })).toBe('ESME_RINVPASWD')
  expect(await bind(LOGIN)).toBe('ESME_RBINDFAIL')
  vi.setSystemTime(Date.now() - HOUR_MS)
  const { now } = performance
  vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + 60_000)
  expect(await bind(LOGIN)).toBe('ESME_ROK')
})
