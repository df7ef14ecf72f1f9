import { expect, test } from 'vitest'
import { readBridgeConfig } from './config.ts'

const given = { MQTT_URL: 'mqtt://user:secret@broker.example.org', SMSGW_API_KEY: 'smsgw_live_key' }
const problem = (environment: Record<string, string>) => {
  try {
    readBridgeConfig({ ...given, ...environment })
  } catch (error) {
    return (error as Error).message
  }
  return undefined
}

test('reads contacts with one or several numbers', () => {
  const { MQTT_CONTACTS } = readBridgeConfig({
    ...given,
    MQTT_CONTACTS: 'Anna=+447400123456, Family=+447400123456+447400123457',
  })
  expect(MQTT_CONTACTS).toEqual([
    { name: 'Anna', numbers: ['+447400123456'] },
    { name: 'Family', numbers: ['+447400123456', '+447400123457'] },
  ])
})

test('the error about a wrong setting contains its name and an example, but not its value', () => {
  expect(problem({ MQTT_URL: 'http://user:secret@broker' })).toBe(
    'MQTT_URL must begin with mqtt:// or mqtts://; for example MQTT_URL=mqtts://smsgw:secret@broker.example.org',
  )
  expect(problem({ MQTT_PREFIX: 'all/#' })).toContain('MQTT_PREFIX must be a topic without spaces, "+" and "#"')
  expect(problem({ MQTT_CONTACTS: 'Anna' })).toContain('MQTT_CONTACTS must be a list of name=number')
  expect(problem({ MQTT_CONTACTS: 'Anna=+447400123456,Anna=+447400123457' })).toContain('contains a name twice')
  expect(problem({ SMSGW_URL: 'sms.example.org' })).toContain('SMSGW_URL must begin with https:// or http://')
  for (const login of ['sms:secret', 'sms', ':secret'])
    expect(problem({ SMSGW_URL: `https://${login}@sms.example.org` })).toBe(
      'SMSGW_URL must not contain a username or a password; for example SMSGW_URL=https://sms.example.org',
    )
})

test('needs a broker and credentials', () => {
  expect(problem({ MQTT_URL: '' })).toContain('no channel is switched on: set MQTT_URL')
  expect(problem({ SMSGW_API_KEY: '' })).toContain('no credentials for the API: set SMSGW_API_KEY')
  expect(problem({ SMSGW_API_KEY: '', SMSGW_USERNAME: 'sms', SMSGW_PASSWORD: 'secret' })).toBeUndefined()
})

test('refuses credentials that no gateway accepts, without printing them', () => {
  expect(problem({ SMSGW_API_KEY: 'smsgw_live key' })).toBe(
    'SMSGW_API_KEY contains a space or another character that is not allowed in a key: copy the key again',
  )
  expect(problem({ SMSGW_API_KEY: '', SMSGW_USERNAME: 'sms:secret', SMSGW_PASSWORD: 'secret' })).toBe(
    'SMSGW_USERNAME contains a colon: set it to the name without the password',
  )
})

test('reads SMPP users, and refuses passwords that can be guessed', () => {
  const { SMPP_USERS } = readBridgeConfig({ ...given, SMPP_USERS: 'kannel=qx7Ru2d=, app=eight888' })
  expect([...(SMPP_USERS ?? [])]).toEqual([
    ['kannel', 'qx7Ru2d='],
    ['app', 'eight888'],
  ])
  expect(problem({ SMPP_USERS: 'kannel=short' })).toContain('passwords at least 8')
  expect(problem({ SMPP_USERS: 'kannel=qx7Ru2dA,kannel=qx7Ru2dB' })).toContain('contains a name twice')
})

test('SMPP needs a port, and TLS a certificate', () => {
  expect(readBridgeConfig(given).channels.smpp).toBeUndefined()
  expect(readBridgeConfig({ ...given, SMPP_PORT: '2775' }).channels.smpp).toMatchObject({ SMPP_PORT: 2775 })
  expect(problem({ SMPP_TLS_PORT: '2776' })).toBe('SMPP_TLS_PORT needs SMPP_TLS_CERT and SMPP_TLS_KEY')
  expect(problem({ SMPP_TLS_CERT: '/etc/smsgw/smpp.pem' })).toBe('SMPP_TLS_CERT and SMPP_TLS_KEY must be set together')
})
