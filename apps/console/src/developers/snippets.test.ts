import { expect, test } from 'vitest'
import { listenSnippet, sendSnippet, snippetLanguages, tokenSnippet } from './snippets.ts'

const box = { origin: 'http://192.168.1.20:3000', username: 'sms', hasTokens: false }
const relay = { origin: 'https://sms.example.org', username: 'ada', hasTokens: true }

test.each(snippetLanguages)(
  'the %s snippet has the address of this gateway, and the secret only as a variable',
  (language) => {
    expect(sendSnippet(language, box)).toContain('http://192.168.1.20:3000/3rdparty/v1/messages')
    expect(sendSnippet(language, box)).toContain('SMSGW_PASSWORD')
    expect(sendSnippet(language, relay)).toContain('https://sms.example.org/3rdparty/v1/messages')
    expect(sendSnippet(language, relay)).toContain('SMSGW_TOKEN')
  },
)

test('without tokens, all snippets use username and password', () => {
  expect(listenSnippet(box)).toContain('-u "sms:$SMSGW_PASSWORD"')
  expect(listenSnippet(relay)).toContain('Bearer $SMSGW_TOKEN')
  expect(tokenSnippet(relay)).toContain('-u "ada:$SMSGW_PASSWORD"')
})
