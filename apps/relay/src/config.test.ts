import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { helpText } from '@smsgw/daemon/command-line'
import { aboutOf } from '@smsgw/daemon/settings'
import { afterAll, expect, test } from 'vitest'
import { relayCommands } from './cli/commands.ts'
import { readRelayConfig, relaySettingsSchema } from './config.ts'

const SECRET = 'bG9vayBiZWhpbmQgdGhlIHdhdGVyZmFsbCBhdCBub29u'
const ENOUGH = { SERVER_SECRET: SECRET }
const folder = mkdtempSync(join(tmpdir(), 'smsgw-config-'))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('requires only the secret, and treats an empty value as missing', () => {
  expect(readRelayConfig(ENOUGH)).toMatchObject({
    PORT: 3000,
    HOST: '127.0.0.1',
    DATA_DIR: './data/relay',
    MAX_SEGMENTS: 255,
    MAX_PHONES: 5_000,
  })
  expect(readRelayConfig({ ...ENOUGH, PORT: '', DATABASE_URL: '' })).toEqual(readRelayConfig(ENOUGH))
})

test('reads every kind of value', () => {
  const config = readRelayConfig({
    ...ENOUGH,
    PORT: '8080',
    ALLOW_INSECURE_HTTP: '1',
    TRUSTED_PROXIES: '10.0.0.0/8, 192.168.1.5,fd00::/8',
    DEFAULT_REGION: 'DE',
    LOG_LEVEL: 'debug',
  })
  expect(config).toMatchObject({
    PORT: 8080,
    ALLOW_INSECURE_HTTP: true,
    TRUSTED_PROXIES: ['10.0.0.0/8', '192.168.1.5', 'fd00::/8'],
    DEFAULT_REGION: 'DE',
    LOG_LEVEL: 'debug',
  })
})

test.each([
  [{ PORT: 'http' }, 'PORT must be a whole number; for example PORT=3000'],
  [{ PORT: '65536' }, 'PORT must be between 0 and 65535; for example PORT=3000'],
  [{ MAX_SEGMENTS: '1e3' }, 'MAX_SEGMENTS must be a whole number; for example MAX_SEGMENTS=10'],
  [{ MAX_SEGMENTS: '0' }, 'MAX_SEGMENTS must be between 1 and 255; for example MAX_SEGMENTS=10'],
  [{ ALLOW_INSECURE_HTTP: 'maybe' }, 'ALLOW_INSECURE_HTTP must be 1 or 0; for example ALLOW_INSECURE_HTTP=1'],
  [{ TRUSTED_PROXIES: '10.0.0.0/33' }, /^TRUSTED_PROXIES "10.0.0.0\/33" is neither an address nor a network; /],
  [{ DEFAULT_REGION: 'XX' }, /^DEFAULT_REGION "XX" is not the code of a country; for example/],
  [{ DEFAULT_REGION: 'Germany' }, /^DEFAULT_REGION must be a country code of two capital letters; for example/],
  [{ DATABASE_URL: 'mysql://x' }, /^DATABASE_URL must begin with postgresql:\/\/; /],
  [
    { DATABASE_URL: 'postgresql://a,,b/d' },
    /^DATABASE_URL has an invalid server \(2 of 3\): separate servers by commas/,
  ],
  [{ DATABASE_DIRECT_URL: 'postgresql://a/d' }, /^DATABASE_DIRECT_URL is set and DATABASE_URL is not: set both/],
  [{ PUBLIC_URL: 'sms.example.org' }, /^PUBLIC_URL must be an http\(s\) address; /],
  [{ LOG_LEVEL: 'loud' }, /^LOG_LEVEL must be one of trace, debug, /],
  [{ ADMIN_USERNAME: 'sms' }, /^ADMIN_USERNAME is set and ADMIN_PASSWORD is not: set both/],
  [{ ADMIN_PASSWORD: 'long enough' }, /^ADMIN_PASSWORD is set and ADMIN_USERNAME is not: set both/],
  [{ TLS_KEY: '/key.pem' }, /^TLS_KEY is set and TLS_CERT is not: set both/],
  [{ TLS_CERT: '/gone.crt', TLS_KEY: '/gone.key' }, 'TLS_CERT names /gone.crt, which does not exist'],
  [{ CONSOLE_DIR: '/gone' }, /^CONSOLE_DIR names \/gone, which has no index.html: name the folder of a built console/],
])('one line explains the problem of %j', (settings, line) => {
  expect(() => readRelayConfig({ ...ENOUGH, ...settings })).toThrow(line)
})

test.each([
  [undefined, 'SERVER_SECRET must be set; for example SERVER_SECRET=$(openssl rand -base64 32)'],
  ['short', /^SERVER_SECRET needs at least 32 characters/],
  ['x'.repeat(64), /^SERVER_SECRET can be guessed: it repeats a few characters/],
  ['abcdefghijklmnop'.repeat(2), /^SERVER_SECRET is a sample/],
  ['Jx7Qm2Zr9Wb4Kd8T'.repeat(2), /^SERVER_SECRET can be guessed: it repeats itself/],
  ['please-change-me-before-you-go-live-1', /^SERVER_SECRET is a sample from the documentation/],
])('refuses the secret %j', (secret, line) => {
  expect(() => readRelayConfig({ SERVER_SECRET: secret })).toThrow(line)
})

test('reads a secret from a file, and reports the name of a file that it cannot read', () => {
  const file = join(folder, 'secret')
  writeFileSync(file, `${SECRET}\n`)
  expect(readRelayConfig({ SERVER_SECRET_FILE: file }).SERVER_SECRET).toBe(SECRET)
  expect(() => readRelayConfig({ SERVER_SECRET_FILE: '/gone' })).toThrow(/^SERVER_SECRET_FILE: cannot read the file/)
  expect(() => readRelayConfig({ ...ENOUGH, SERVER_SECRET_FILE: file })).toThrow(
    'SERVER_SECRET and SERVER_SECRET_FILE are both set: remove one of them',
  )
})

test('never repeats the value of a secret', () => {
  const secrets = {
    SERVER_SECRET: 'hunter2',
    METRICS_TOKEN: 'hunter2',
    ENROLMENT_TOKEN: 'hunter2',
    DATABASE_URL: 'hunter2',
  }
  for (const [name, value] of Object.entries(secrets)) {
    let line = ''
    try {
      readRelayConfig({ ...ENOUGH, [name]: value })
    } catch (error) {
      line = String(error)
    }
    expect(line).toContain(name)
    expect(line).not.toContain('hunter2')
  }
})

test('the help lists every setting, with a valid example', () => {
  const help = helpText(relayCommands)
  for (const name of Object.keys(relaySettingsSchema.shape)) {
    const { example, secret } = aboutOf(relaySettingsSchema, name)
    expect(help).toContain(`\n  ${name}=${example}`)
    const isAlone = !secret && !/^(TLS_.*|ADMIN_USERNAME|CONSOLE_DIR)$/.test(name)
    if (isAlone) expect(() => readRelayConfig({ ...ENOUGH, [name]: example })).not.toThrow()
  }
})
