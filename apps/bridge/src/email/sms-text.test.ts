import { expect, test } from 'vitest'
import { readMail, smsText } from './sms-text.ts'

const mail = (body: string, headers: readonly string[] = []) =>
  readMail(Buffer.from(`${['Subject: Alarm', ...headers, '', body].join('\r\n')}`))
const textOf = async (body: string, headers: readonly string[] = []) => (await mail(body, headers)).text

test('the text is the plain part of a mail', async () => {
  const body = [
    ...['--x', 'Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: quoted-printable', ''],
    ...['Gr=C3=BC=C3=9Fe', '--x', 'Content-Type: text/html', '', '<p>Other</p>', '--x--'],
  ].join('\r\n')
  expect(await textOf(body, ['Content-Type: multipart/alternative; boundary=x'])).toBe('Grüße')
})

test('removes the markup of a mail without a plain part', async () => {
  const html =
    '<html><head><title>T</title><style>p{}</style></head><p>One &amp; two</p><script>x()</script>Three<br>&#70;our'
  expect(await textOf(html, ['Content-Type: text/html'])).toBe('One & two\nThree\nFour')
})

test.each(['<', '<!--', '<br', '<script', '</script ', '<a href="', '&#1'])(
  'a mail full of %j does not keep the bridge busy',
  async (part) => {
    const before = process.cpuUsage()
    await textOf(`<p>One${part.repeat(100_000)}`, ['Content-Type: text/html'])
    const { user } = process.cpuUsage(before)
    expect(user / 1_000).toBeLessThan(10_000)
  },
)

test('refuses a mail with more lines than the parser can read without delay', async () => {
  await expect(mail('\n'.repeat(20_001))).rejects.toThrow('more than 20000 lines')
})

test.each([
  ['a signature', 'Yes\n-- \nAnna\nExample Ltd', 'Yes'],
  ['a quoted mail', 'Yes\n\nOn Monday Anna wrote:\n> Shall we?\n> Anna', 'Yes'],
  [
    'an introduction of several lines',
    'Yes\n\nOn Mon, 23 Nov 2026 at 10:00,\nAnna <anna@example.org> wrote:\n\n> Shall we?',
    'Yes',
  ],
  ['a German introduction', 'Ja\n\nAm 23.11.2026 um 10:00 schrieb Anna:\n> Gehen wir?', 'Ja'],
  ['an original message', 'Yes\n-----Original Message-----\nFrom: Anna', 'Yes'],
  ['repeated blank lines', 'One\n\n\n\nTwo\n\n', 'One\n\nTwo'],
])('cuts %s', async (_, body, text) => {
  expect(await textOf(body)).toBe(text)
})

test('keeps a line that only looks like an introduction', async () => {
  expect(await textOf('On the door:\nkeys')).toBe('On the door:\nkeys')
})

test('puts the subject first, except in a reply, in a mail without a text, and if the text repeats the subject', async () => {
  expect(smsText(await mail('Disk full'), true)).toBe('Alarm\nDisk full')
  expect(smsText(await mail('Disk full'), false)).toBe('Disk full')
  expect(smsText(await mail(''), true)).toBe('Alarm')
  expect(smsText(await mail('Alarm: disk full'), true)).toBe('Alarm: disk full')
  expect(smsText({ text: 'Yes', subject: 'Re: Alarm' }, true)).toBe('Yes')
  expect(smsText({ text: 'Ja', subject: 'AW: Alarm' }, true)).toBe('Ja')
})

test('recognises automatic mail', async () => {
  expect((await mail('x')).isAutomatic).toBe(false)
  expect((await mail('x', ['Auto-Submitted: no'])).isAutomatic).toBe(false)
  for (const header of [
    'Auto-Submitted: auto-replied',
    'Precedence: bulk',
    'List-Id: <a.example.org>',
    'X-Autoreply: yes',
  ])
    expect((await mail('x', [header])).isAutomatic).toBe(true)
})

test('refuses a mail with endless headers', async () => {
  await expect(
    mail(
      'x',
      Array.from({ length: 15_000 }, (_, at) => `X-${at}: y`),
    ),
  ).rejects.toThrow('header size')
})

test('returns some text, without an error, for broken mail', async () => {
  for (const raw of [
    '',
    '\r\n',
    '\0',
    'Content-Type: multipart/mixed\r\n\r\n--',
    'Subject: =?utf-8?B?////?=\r\n\r\n\xff',
  ])
    expect(typeof (await readMail(Buffer.from(raw, 'latin1'))).text).toBe('string')
})
