import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { KEY, LOGIN, SMS, withSmppBridge } from '../testing/smpp-bridge.ts'
import { TestSmppClient } from '../testing/smpp-client.ts'

const current = withSmppBridge()

test.each(['bind_transmitter', 'bind_receiver', 'bind_transceiver'])('%s accepts an API key', async (command) => {
  const { bridge } = current
  await bridge.start()
  const client = await bridge.connect()
  const answer = await client.ask(command, { ...LOGIN, interface_version: 0x34 })
  expect(answer).toMatchObject({ command_status: 0, system_id: 'smsgw', sc_interface_version: 0x34 })
})

test('accepts the password of the account, and short passwords of SMPP_USERS', async () => {
  const { bridge } = current
  await bridge.start({ SMPP_USERS: 'kannel=qx7Ru2dA' })
  await bridge.bound('bind_transceiver', { system_id: 'sms', password: 'tea at half past four' })
  const { logins } = bridge
  await bridge.bound('bind_transceiver', { system_id: 'kannel', password: 'qx7Ru2dA' })
  expect(bridge.logins).toBe(logins)
  const wrong = await bridge.connect()
  expect(await wrong.statusOf('bind_transceiver', { system_id: 'kannel', password: 'qx7Ru2dB' })).toBe('ESME_RINVPASWD')
  await wrong.closed
})

test.each([
  ['a wrong key', { system_id: 'app', password: 'smsgw_live_wrong' }],
  ['a wrong password', { system_id: 'sms', password: 'wrong' }],
  ['no password', { system_id: 'sms', password: '' }],
  ['a system_id that cannot be a username', { system_id: 'a:b', password: 'wrong' }],
])('refuses %s after a delay, and ends the connection', async (_, login) => {
  const { bridge } = current
  await bridge.start({}, { refusalMs: 200 })
  const client = await bridge.connect()
  const startedAt = performance.now()
  expect(await client.statusOf('bind_receiver', login)).toBe('ESME_RINVPASWD')
  expect(performance.now() - startedAt).toBeGreaterThan(190)
  await client.closed
})

test('logs what to do when a client cuts off an API key', async () => {
  const { bridge } = current
  let logged = ''
  bridge.logged.on('data', (chunk) => {
    logged += chunk
  })
  await bridge.start()
  const client = await bridge.connect()
  expect(await client.statusOf('bind_transceiver', { ...LOGIN, password: KEY.slice(0, 8) })).toBe('ESME_RINVPASWD')
  await expect.poll(() => logged).toContain('only the first 8 characters of an API key: set SMPP_USERS')
  expect(bridge.logins).toBe(0)
})

test('after five wrong passwords an address must wait, and its passwords are not checked', async () => {
  const { bridge } = current
  await bridge.start()
  for (let count = 0; count < 5; count += 1) {
    const client = await bridge.connect()
    expect(await client.statusOf('bind_receiver', { ...LOGIN, password: 'wrong' })).toBe('ESME_RINVPASWD')
  }
  const { logins } = bridge
  const client = await bridge.connect()
  expect(await client.statusOf('bind_receiver', LOGIN)).toBe('ESME_RBINDFAIL')
  expect(bridge.logins).toBe(logins)
})

test('reports an unavailable API with a temporary error', async () => {
  const { bridge } = current
  await bridge.start()
  bridge.account.isDown = true
  const client = await bridge.connect()
  expect(await client.statusOf('bind_transmitter', LOGIN)).toBe('ESME_RSYSERR')
})

test('limits the binds of one system_id', async () => {
  const { bridge } = current
  await bridge.start()
  for (let count = 0; count < 20; count += 1) await bridge.bound()
  const client = await bridge.connect()
  expect(await client.statusOf('bind_transceiver', LOGIN)).toBe('ESME_RBINDFAIL')
  await bridge.bound('bind_transceiver', { ...LOGIN, system_id: 'other' })
})

test('answers commands in the wrong order with their errors, and keeps the connection', async () => {
  const { bridge } = current
  await bridge.start()
  const client = await bridge.connect()
  expect(await client.statusOf('submit_sm', SMS)).toBe('ESME_RINVBNDSTS')
  expect(await client.statusOf('enquire_link')).toBe('ESME_RINVBNDSTS')
  expect(await client.statusOf('unbind')).toBe('ESME_RINVBNDSTS')
  expect(await client.statusOf('bind_receiver', LOGIN)).toBe('ESME_ROK')
  expect(await client.statusOf('bind_transmitter', LOGIN)).toBe('ESME_RALYBND')
  expect(await client.statusOf('submit_sm', SMS)).toBe('ESME_RINVBNDSTS')
  expect(await client.statusOf('enquire_link')).toBe('ESME_ROK')
  expect(await client.ask('broadcast_sm')).toMatchObject({ command: 'generic_nack', command_status: 3 })
  expect(await client.statusOf('unbind')).toBe('ESME_ROK')
  await client.closed
  expect(bridge.account.sent).toEqual([])
})

test('sends enquire_link to an idle client, and disconnects a client that does not answer', async () => {
  const { bridge } = current
  await bridge.start({}, { idleMs: 100, answerMs: 3_000 })
  const answering = await bridge.bound()
  const silent = connect(bridge.port, '127.0.0.1')
  await once(silent, 'connect')
  const login = Buffer.from(`app\0${KEY}\0\0\x34\0\0\0`, 'latin1')
  const header = Buffer.alloc(16)
  header.writeUInt32BE(16 + login.length, 0)
  header.writeUInt32BE(9, 4)
  header.writeUInt32BE(1, 12)
  silent.write(Buffer.concat([header, login]))
  silent.resume()
  await once(silent, 'close')
  expect(await answering.statusOf('enquire_link')).toBe('ESME_ROK')
})

test('answers requests in progress before it answers an unbind', async () => {
  const { bridge } = current
  await bridge.start()
  const client = await bridge.bound()
  const { promise, resolve } = Promise.withResolvers<void>()
  bridge.account.beforeSend = promise
  const answers = [client.statusOf('submit_sm', SMS), client.statusOf('unbind')]
  setTimeout(resolve, 200)
  expect(await Promise.all(answers)).toEqual(['ESME_ROK', 'ESME_ROK'])
  await client.closed
})

test('finishes requests in progress before it stops, and does not wait long for a silent client', async () => {
  const { bridge } = current
  await bridge.start()
  const client = await bridge.bound()
  const silent = await bridge.bound()
  silent.answersUnbind = false
  const { promise, resolve } = Promise.withResolvers<void>()
  bridge.account.beforeSend = promise
  const answer = client.statusOf('submit_sm', { ...SMS, registered_delivery: 1 })
  await expect.poll(() => bridge.account.isSending).toBe(true)
  const stopped = bridge.stop()
  setTimeout(resolve, 200)
  expect(await answer).toBe('ESME_ROK')
  await stopped
})

test('does not disconnect a client whose request the API answers slowly', async () => {
  const { bridge } = current
  await bridge.start({}, { answerMs: 2_000, idleMs: 100 })
  const client = await bridge.bound()
  const { promise, resolve } = Promise.withResolvers<void>()
  bridge.account.beforeSend = promise
  const answers = Array.from({ length: 50 }, () => client.statusOf('submit_sm', SMS))
  await expect.poll(() => bridge.account.isSending).toBe(true)
  bridge.account.receive('Hello')
  // Longer than the limits of an idle client.
  setTimeout(resolve, 3_000)
  expect(new Set(await Promise.all(answers))).toEqual(new Set(['ESME_ROK']))
  expect(await client.statusOf('enquire_link')).toBe('ESME_ROK')
  await expect.poll(() => client.received).toHaveLength(1)
})

test('unbinds its clients when it stops', async () => {
  const { bridge } = current
  await bridge.start()
  const client = await bridge.bound()
  await bridge.stop()
  await client.closed
})

const hasOpenssl = spawnSync('openssl', ['version']).error === undefined

test.skipIf(!hasOpenssl)('serves TLS on its own port, and continues after clients that do not use TLS', async () => {
  const { bridge } = current
  const [cert, key] = [join(bridge.folder, 'cert.pem'), join(bridge.folder, 'key.pem')]
  const subject = ['-subj', '/CN=sms.example.org', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
  spawnSync('openssl', ['req', '-x509', '-nodes', '-days', '1', ...subject, '-keyout', key, '-out', cert])
  await bridge.start({ SMPP_TLS_PORT: '0', SMPP_TLS_CERT: cert, SMPP_TLS_KEY: key })
  const plain = connect(bridge.tlsPort, '127.0.0.1')
  plain.on('error', () => undefined)
  plain.write('not TLS at all\r\n\r\n')
  plain.resume()
  await once(plain, 'close')
  const client = await TestSmppClient.connect(bridge.tlsPort, { tls: true })
  expect(await client.statusOf('bind_transmitter', LOGIN)).toBe('ESME_ROK')
  expect(await client.statusOf('submit_sm', SMS)).toBe('ESME_ROK')
  client.destroy()
})

test('accepts only the networks of SMPP_ALLOW_CIDRS', async () => {
  const { bridge } = current
  await bridge.start({ SMPP_ALLOW_CIDRS: '192.0.2.0/24' })
  const client = await bridge.connect()
  await client.closed
})

test('logs contain neither passwords nor texts', async () => {
  const { bridge } = current
  let logged = ''
  bridge.logged.on('data', (chunk) => {
    logged += chunk
  })
  await bridge.start({ SMPP_USERS: 'kannel=qx7Ru2dA' })
  const wrong = await bridge.connect()
  await wrong.ask('bind_receiver', { system_id: 'kannel', password: 'wrongpas' })
  await bridge.bound('bind_transmitter', { system_id: 'kannel', password: 'qx7Ru2dA' })
  const client = await bridge.bound()
  bridge.account.errorFor = () => new Error('failed')
  expect(await client.statusOf('submit_sm', { ...SMS, short_message: 'Top secret' })).toBe('ESME_RSYSERR')
  bridge.account.errorFor = () => undefined
  client.answerTo = () => ({ command_status: 0x65 })
  bridge.account.receive('Also secret')
  await expect.poll(() => logged).toContain('SMPP delivery dropped: the client refused it')
  expect(logged).toContain('SMPP bind refused')
  expect(logged).toContain('SMPP request not processed')
  expect(logged).not.toMatch(/secret|wrongpas|qx7Ru2dA/)
  expect(logged).not.toContain(KEY)
})

test('counts passwords that an address tries at the same time before it accepts one of them', async () => {
  const { bridge } = current
  await bridge.start()
  const checking = Promise.withResolvers<void>()
  bridge.account.beforeCheck = checking.promise
  const binds: Promise<string>[] = []
  for (const password of [...Array(10).fill('wrong'), KEY]) {
    const client = await bridge.connect()
    binds.push(client.statusOf('bind_transceiver', { ...LOGIN, password }))
  }
  await expect.poll(() => bridge.logins).toBe(11)
  checking.resolve()
  expect((await Promise.all(binds)).at(-1)).toBe('ESME_RBINDFAIL')
})
