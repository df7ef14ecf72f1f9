import { expect, test } from 'vitest'
import { welcome } from './welcome.ts'

const gateway = { url: 'http://127.0.0.1:3000', isVirtual: false, modems: () => ['SIM 1 ready'] }
const secrets = {
  serverSecret: 'the secret of the server',
  username: 'sms',
  password: 'correct-horse',
  areNew: true,
  credentialsFile: '/data/credentials.json',
}

const terminal = { isTerminal: true, machine: ['192.168.1.5'] }

test('a new password is shown once, to a terminal', () => {
  expect(welcome(gateway, secrets, terminal)).toMatch(/correct-horse.*shown this once/s)
  expect(welcome(gateway, { ...secrets, areNew: false }, terminal)).not.toContain('correct-horse')
})

test('what keeps its lines, as a journal does, is told where the password is', () => {
  const said = welcome(gateway, secrets, { isTerminal: false, machine: [] })
  expect(said).not.toContain('correct-horse')
  expect(said).toContain('the password is in /data/credentials.json')
})

test('no secret but the password is ever shown', () => {
  expect(welcome(gateway, secrets, terminal)).not.toContain(secrets.serverSecret)
})

test('one that listens everywhere is named as it is reached: from here, and from other machines', () => {
  const said = welcome({ ...gateway, url: 'http://0.0.0.0:3000' }, secrets, terminal)
  expect(said).toContain('http://127.0.0.1:3000/3rdparty/v1/messages')
  expect(said).toContain('http://192.168.1.5:3000 from other machines')
  expect(said).not.toContain('0.0.0.0')
  expect(welcome(gateway, secrets, terminal)).not.toContain('from other machines')
})
