import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StartError } from '@smsgw/daemon/start-error'
import { afterAll, expect, test } from 'vitest'
import { readFcmCredentials } from './fcm-credentials.ts'

const folder = mkdtempSync(join(tmpdir(), 'smsgw-fcm-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = join(folder, 'fcm.json')
const pem = (type: 'rsa' | 'ec') => {
  const { privateKey } =
    type === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return privateKey.export({ type: 'pkcs8', format: 'pem' })
}
const good = {
  ...{ type: 'service_account', project_id: 'our-sms', client_email: 'relay@our-sms.iam.gserviceaccount.com' },
  ...{ private_key_id: 'key-1', private_key: pem('rsa'), token_uri: 'https://oauth2.googleapis.com/token' },
}

function problemOf(content: unknown): string {
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  try {
    readFcmCredentials(file)
  } catch (error) {
    expect(error).toBeInstanceOf(StartError)
    return (error as Error).message
  }
  return ''
}

test('reads the JSON key of a service account', () => {
  expect(problemOf(good)).toBe('')
  expect(readFcmCredentials(file)).toMatchObject({
    ...{ projectId: 'our-sms', email: good.client_email, keyId: 'key-1', tokenUri: good.token_uri },
    privateKey: { asymmetricKeyType: 'rsa' },
  })
})

test.each([
  ['not JSON', 'secret-content', 'it is not a JSON object'],
  ['a list', ['secret-content'], 'it is not a JSON object'],
  ['a file for apps', { ...good, type: 'authorized_user' }, 'its "type" is missing or invalid'],
  ['a project with a path', { ...good, project_id: 'a/b' }, 'its "project_id" is missing or invalid'],
  ['plain HTTP', { ...good, token_uri: 'http://example.org/t' }, 'its "token_uri" is missing or invalid'],
  ['no key', { ...good, private_key: undefined }, 'its "private_key" is missing or invalid'],
  ['a broken key', { ...good, private_key: 'secret-content' }, 'its "private_key" is not an RSA key'],
  ['another kind of key', { ...good, private_key: pem('ec') }, 'its "private_key" is not an RSA key'],
])('refuses %s without showing its content', (_, content, problem) => {
  const message = problemOf(content)
  expect(message).toContain(`FCM_CREDENTIALS_FILE (${file}) is not usable: ${problem}. It must be`)
  expect(message).not.toContain('secret-content')
})

test('refuses a file that does not exist', () => {
  expect(() => readFcmCredentials(join(folder, 'gone.json'))).toThrow('it cannot be read (ENOENT)')
})
