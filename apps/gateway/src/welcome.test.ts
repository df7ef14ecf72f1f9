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

test('a new password is shown once, to a terminal', () => {
  expect(welcome(gateway, secrets, { isTerminal: true })).toMatch(/correct-horse.*shown this once/s)
  expect(welcome(gateway, { ...secrets, areNew: false }, { isTerminal: true })).not.toContain('correct-horse')
})

test('what keeps its lines, as a journal does, is told where the password is', () => {
  const said = welcome(gateway, secrets, { isTerminal: false })
  expect(said).not.toContain('correct-horse')
  expect(said).toContain('the password is in /data/credentials.json')
})

test('no secret but the password is ever shown', () => {
  expect(welcome(gateway, secrets, { isTerminal: true })).not.toContain(secrets.serverSecret)
})
