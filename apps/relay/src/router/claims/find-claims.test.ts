import { expect, test } from 'vitest'
import { findClaims } from './find-claims.ts'

const box = { fingerprint: (text: string) => `hash of ${text}` }

const claimsOf = (method: string, url: string, headers = {}) =>
  findClaims({ method, url, headers, isSecure: true }, box)

const alice = [{ kind: 'user', name: 'alice' }]

test.each(['/cgi-bin/sendsms', '//cgi-bin/sendsms', '/cgi-bin//sendsms/', '/cgi-bin/%73endsms'])(
  'credentials in the query are found as the relay finds them: Kannel, %s',
  (path) => {
    expect(claimsOf('GET', `${path}?username=alice&password=a//b&to=%2B447400123456`)).toEqual(alice)
  },
)

test.each(['/http_api/send_sms', '/http_api//send_sms', '//sms///http_api/send_sms//'])(
  'credentials in the query are found as the relay finds them: SMSEagle, %s',
  (path) => {
    expect(claimsOf('GET', `${path}?login=alice&pass=secret`)).toEqual(alice)
  },
)

test.each(['/3rdparty/v1/session', '/3rdparty/v1//session/', '/http_api//send_sms', '//jsonrpc//sms'])(
  'credentials are looked for in the body: %s',
  (path) => {
    expect(claimsOf('POST', path)).toBeUndefined()
  },
)

test('a path of another interface has no credentials in the query', () => {
  expect(claimsOf('GET', '/x/cgi-bin/sendsms?username=alice&password=secret')).toEqual([])
})
