import { expect, test } from 'vitest'
import { addressRules, isAllowedAddress, urlProblem } from './address-rules.ts'

const publicOnly = addressRules({ allowHttp: false, allowNetworks: [], localServerMode: false })
const operator = addressRules({
  allowHttp: true,
  allowNetworks: ['192.168.7.0/24', '10.1.2.3', 'fd00::/8'],
  publicUrl: 'https://sms.example.org',
  localServerMode: false,
})
const ownBox = addressRules({ allowHttp: false, allowNetworks: [], localServerMode: true })

test.each([
  'https://example.com/sms?token=1#part',
  'https://example.com:8443/',
  'https://example.com?path=a\\b%20@c',
  'https://93.184.215.14/',
  'https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/',
  'https://bücher.example/',
  'https://نامه\u200Cای.example/',
  'https://localhost.example.com/',
])('accepts %s', (url) => {
  expect(urlProblem(url, publicOnly)).toBeUndefined()
})

test.each([
  ['example.com', 'not a valid URL'],
  ['https://', 'not a valid URL'],
  ['https://exa mple.com', 'spaces'],
  ['https://example.com/a\tb', 'spaces'],
  ['ftp://example.com/', 'https://'],
  ['javascript:alert(1)', 'https://'],
  ['http://example.com/', 'WEBHOOK_ALLOW_HTTP'],
  ['https://user@example.com/', 'credentials'],
  ['https://:secret@example.com/', 'credentials'],
  ['https:///example.com', 'host name'],
  ['https:example.com', 'host name'],
  ['https:\\\\example.com', 'host name'],
  ['https://example.com\\@evil.example/', 'host name'],
  ['https://@example.com/', 'host name'],
  ['https://ex%61mple.com/', 'host name'],
  ['https://exam\u00ADple.com/', 'host name'],
  ['https://exam\u034Fple.com/', 'host name'],
  ['https://exam\u2064ple.com/', 'host name'],
  ['https://exam\uFE0Fple.com/', 'host name'],
  ['https://exam\u{E0100}ple.com/', 'host name'],
  ['https://ｅxample.com/', 'host name'],
  ['https://example。com/', 'host name'],
  ['https://①②⑦.0.0.1/', 'host name'],
  ['https://example.com⁄evil.example/', 'host name'],
  ['https://example.com∕evil.example/', 'host name'],
  ['https://example.com⧸evil.example/', 'host name'],
  ['https://example.com╱evil.example/', 'host name'],
  ['https://example.com∶443⁄evil.example/', 'host name'],
  ['https://example.com:25/', 'port 25'],
  ['https://example.com:6667/', 'port 6667'],
])('refuses %j: %s', (url, reason) => {
  expect(urlProblem(url, publicOnly)?.message).toContain(reason)
})

test('accepts no character that the URL parser drops from a host name or replaces with ASCII characters', () => {
  const accepted: string[] = []
  for (let point = 0x80; point < 0x2_0000; point++) {
    const url = `https://a${String.fromCodePoint(point)}b.example/`
    if (URL.canParse(url) && !new URL(url).hostname.startsWith('xn--') && urlProblem(url, publicOnly) === undefined)
      accepted.push(point.toString(16))
  }
  expect(accepted).toEqual([])
})

test.each([
  'https://müller.example/',
  'https://l·l.example/',
  'https://xn--ls8h.example/',
  'https://例え.テスト/',
  'https://نامه\u200Cای.example/',
])('accepts %s', (url) => {
  expect(urlProblem(url, publicOnly)).toBeUndefined()
})

test.each([
  'https://127.0.0.1/',
  'https://127.1/',
  'https://0x7f.1/',
  'https://2130706433/',
  'https://0177.0.0.1/',
  'https://localhost/',
  'https://LOCALHOST./',
  'https://hook.localhost/',
  'https://10.0.0.1/',
  'https://169.254.169.254/latest/meta-data',
  'https://100.64.0.1/',
  'https://198.18.0.1/',
  'https://192.0.2.1/',
  'https://224.0.0.1/',
  'https://255.255.255.255/',
  'https://0.0.0.0/',
  'https://[::1]/',
  'https://[::]/',
  'https://[::ffff:10.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[fe80::1]/',
  'https://[fd00::1]/',
  'https://[64:ff9b::7f00:1]/',
  'https://[2002:7f00:1::]/',
  'https://[2001::1]/',
  'https://[ff02::1]/',
  'https://[::7f00:1]/',
  'https://[::127.0.0.1]/',
  'https://[::ffff:0:7f00:1]/',
  'https://[64:ff9b:1::1]/',
  'https://[fec0::1]/',
  'https://[5f00::1]/',
  'https://[4000::1]/',
  'https://127.0.0.1./',
])('%s is not public in any notation', (url) => {
  expect(urlProblem(url, publicOnly)?.message).toContain('is not public')
})

test('accepts exactly the addresses that the operator allows', () => {
  expect(urlProblem('http://192.168.7.9/', operator)).toBeUndefined()
  expect(urlProblem('http://[::ffff:192.168.7.9]/', operator)).toBeUndefined()
  expect(urlProblem('https://10.1.2.3/', operator)).toBeUndefined()
  expect(urlProblem('https://[fd12::1]/', operator)).toBeUndefined()
  for (const url of ['https://192.168.8.1/', 'https://10.1.2.4/', 'https://localhost/', 'https://[fe80::1]/'])
    expect(urlProblem(url, operator)?.message).toContain('is not public')
})

test('the relay never sends a request to itself', () => {
  for (const host of ['SMS.example.org', 'sms.example.org.', 'sms.example.org.:443'])
    expect(urlProblem(`https://${host}/3rdparty/v1/messages`, operator)?.message).toContain('the address of this relay')
})

test('Local Server mode allows the local network and loopback, but not the metadata address', () => {
  for (const url of ['http://localhost:3001/', 'http://127.0.0.1:3001/', 'http://192.168.1.5/', 'http://[::1]/'])
    expect(urlProblem(url, ownBox)).toBeUndefined()
  expect(urlProblem('http://169.254.169.254/', ownBox)?.message).toContain('is not public')
})

test('refuses invalid addresses', () => {
  expect(isAllowedAddress('example.com', publicOnly)).toBe(false)
})
