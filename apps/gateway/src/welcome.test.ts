import { expect, test } from 'vitest'
import { areModemsSettled } from './gateway.ts'
import { modemLines, welcome } from './welcome.ts'

const gateway = {
  url: 'http://127.0.0.1:3000',
  isVirtual: false,
  status: () => ({ modems: [], unusable: [] }) as never,
}
const secrets = {
  serverSecret: 'the secret of the server',
  username: 'sms',
  password: 'correct-horse',
  credentialsFile: '/data/credentials.json',
}

const terminal = { isFirstStart: true, isTerminal: true, machine: ['192.168.1.5'], allowsInsecure: false }

test('shows the password at the first start only, on a terminal', () => {
  expect(welcome(gateway, secrets, terminal)).toMatch(/correct-horse.*shown once/s)
  expect(welcome(gateway, secrets, { ...terminal, isFirstStart: false })).not.toContain('correct-horse')
})

test('shows the location of the password instead of the password if the output is not a terminal', () => {
  const output = welcome(gateway, secrets, { ...terminal, isTerminal: false })
  expect(output).not.toContain('correct-horse')
  expect(output).toContain('password stored in /data/credentials.json')
})

test('never shows the server secret', () => {
  expect(welcome(gateway, secrets, terminal)).not.toContain(secrets.serverSecret)
})

test('shows the local and the network URLs if the gateway listens on all addresses', () => {
  const output = welcome({ ...gateway, url: 'http://0.0.0.0:3000' }, secrets, terminal)
  expect(output).toContain('http://127.0.0.1:3000/3rdparty/v1/messages')
  expect(output).toContain('http://192.168.1.5:3000 from other machines')
  expect(output).not.toContain('0.0.0.0')
  expect(welcome(gateway, secrets, terminal)).not.toContain('from other machines')
})

test('warns if the gateway serves plain HTTP to other machines', () => {
  const open = { ...gateway, url: 'http://0.0.0.0:3000' }
  expect(welcome(open, secrets, terminal)).toContain('Passwords and messages are sent unencrypted')
  expect(welcome(open, secrets, { ...terminal, allowsInsecure: true })).not.toContain('unencrypted')
  expect(welcome({ ...gateway, url: 'https://0.0.0.0:3000' }, secrets, terminal)).not.toContain('unencrypted')
  expect(welcome(gateway, secrets, terminal)).not.toContain('unencrypted')
})

const modem = { simNumber: 1, port: '/dev/ttyUSB2', state: 'ready', words: 'ready', model: 'Quectel EC25' } as never
const nameless = { port: '/dev/ttyUSB5', state: 'starting', words: 'probing' } as never

test('describes a modem in one line: SIM, state, network, model and port', () => {
  const known = { ...(modem as object), operator: 'Vodafone' } as never
  expect(modemLines({ modems: [known], unusable: [] })).toEqual([
    'SIM 1 ready, Vodafone (Quectel EC25 at /dev/ttyUSB2)',
  ])
  expect(modemLines({ modems: [nameless], unusable: [] })).toEqual(['probing (modem at /dev/ttyUSB5)'])
})

test('lists unusable devices, and names a solution if no modem was found', () => {
  expect(modemLines({ modems: [], unusable: ['/dev/ttyUSB0 is held by ModemManager'] })).toEqual([
    '/dev/ttyUSB0 is held by ModemManager',
  ])
  expect(modemLines({ modems: [], unusable: [] })[0]).toContain('npm run gateway -- doctor')
})

test('the start waits until no modem is starting, searching or not yet opened', () => {
  expect(areModemsSettled({ modems: [] })).toBe(false)
  expect(areModemsSettled({ modems: [modem, nameless] })).toBe(false)
  const unopened = { port: '/dev/ttyUSB2', state: 'absent', words: 'disconnected: not opened yet' } as never
  expect(areModemsSettled({ modems: [modem, unopened] })).toBe(false)
  expect(areModemsSettled({ modems: [modem] })).toBe(true)
})
