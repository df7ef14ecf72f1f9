import { expect, test } from 'vitest'
import { readSetupOptions } from './setup-options.ts'

const read = (values: Readonly<Record<string, string | boolean>>) =>
  readSetupOptions({ name: 'setup', values, positionals: [], settings: {} })

test('asks for the phone number and consent, and waits for a reply, unless an option disables this', () => {
  expect(read({})).toEqual({
    to: undefined,
    isTested: true,
    sim: undefined,
    areFixesAgreed: false,
    networkMs: 90_000,
    replyMs: 300_000,
  })
  expect(read({ to: '+447400123456', yes: true, sim: '2', 'network-wait': '10', 'reply-wait': '0' })).toMatchObject({
    to: '+447400123456',
    areFixesAgreed: true,
    sim: 2,
    networkMs: 10_000,
    replyMs: 0,
  })
  expect(read({ 'no-test': true }).isTested).toBe(false)
})

test.each([
  [{ to: '07400123456' }, '--to "07400123456" is not a phone number'],
  [{ sim: '0' }, '--sim "0" must be a number from 1 to 64'],
  [{ 'network-wait': 'long' }, '--network-wait "long" must be a number from 1 to 3600'],
  [{ 'reply-wait': '-1' }, '--reply-wait "-1" must be a number from 0 to 3600'],
])('refuses %j', (values: Readonly<Record<string, string>>, text) => expect(() => read(values)).toThrow(text))
