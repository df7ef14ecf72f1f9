import { createHash } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { StickWorld } from '../testing/stick-world.ts'
import { HilinkModem } from './hilink-modem.ts'

const login = {
  user: 'admin',
  password: 'secret',
  hash: (text: string) => Buffer.from(createHash('sha256').update(text).digest('hex')).toString('base64'),
}

/** A stick whose password is `secret`, and the driver with a password. */
function stickWith(password: string) {
  const world = new StickWorld({ faults: { 'web-login': { password: 'secret' } } })
  const modem = new HilinkModem({
    port: world,
    clock: world.clock,
    onEvent: () => undefined,
    options: { webLogin: { ...login, password } },
  })
  onTestFinished(() => modem.stop())
  const start = async () => {
    const outcome = await world.passing(modem.start())
    await world.pass(5_000)
    return outcome
  }
  const send = (text: string) => {
    const beforePdu = async () => 'go' as const
    return world.passing(modem.submit({ text, destination: '+447400123456' }, { id: text, beforePdu }))
  }
  const logins = () => world.requests.filter((request) => request === 'POST /api/user/login').length
  return { world, start, send, logins }
}

test('logs in with the password of the stick, and sends', async () => {
  const { world, start, send, logins } = stickWith('secret')
  expect((await start()).kind).toBe('started')
  expect(await send('hello')).toMatchObject({ kind: 'accepted' })
  expect(world.ledger.map(({ text }) => text)).toEqual(['hello'])
  expect(logins()).toBe(1)
})

test('logs in again after the stick has lost its sessions', async () => {
  const { world, start, send, logins } = stickWith('secret')
  expect((await start()).kind).toBe('started')
  world.stick.faults.set('web-sessions-lost', { times: 1 })
  await world.pass(10_000)
  expect(await send('again')).toMatchObject({ kind: 'accepted' })
  expect(logins()).toBe(2)
})

test('tries a wrong password only once, because further attempts would lock the stick', async () => {
  const { world, start, logins } = stickWith('wrong')
  expect(await start()).toMatchObject({ kind: 'failed', failure: { reason: 'login-refused' } })
  await world.pass(600_000)
  expect(logins()).toBe(1)
})
