import { expect, test } from 'vitest'
import { chooseLocale } from '../words/language.ts'
import { loadLocale } from '../words/text.ts'
import { inLocalTime, sinceWords, toneOf } from './timeline-words.ts'

const at = '2026-03-01T08:46:11.000Z'

test('a step shows the time since the previous one, unless it is the first or at the same time', () => {
  expect(sinceWords(undefined, at)).toBe('')
  expect(sinceWords(at, at)).toBe('')
  expect(sinceWords(at, '2026-03-01T08:46:11.250Z')).toBe('+250 ms')
  expect(sinceWords(at, '2026-03-01T08:46:15.200Z')).toBe('+4.2 sec')
  expect(sinceWords(at, '2026-03-01T09:51:11.000Z')).toBe('+1 hr 5 min')
})

test('failures stand out, and so do failed webhook attempts', () => {
  const webhook = { webhookId: 'w', deliveryId: 'd', event: 'sms:sent' as const }
  expect(toneOf({ at, kind: 'part-refused', text: '' })).toBe('bad')
  expect(toneOf({ at, kind: 'webhook-attempt', text: '', webhook: { ...webhook, httpStatus: 204 } })).toBe('aside')
  expect(toneOf({ at, kind: 'webhook-attempt', text: '', webhook: { ...webhook, httpStatus: 500 } })).toBe('warn')
  expect(toneOf({ at, kind: 'webhook-attempt', text: '', webhook: { ...webhook, error: 'no answer' } })).toBe('warn')
})

test('an ordinary step does not stand out', () => {
  expect(toneOf({ at, kind: 'dispatched', text: '' })).toBe('plain')
})

test('UTC times in a text become local times, and the rest stays unchanged', () => {
  const wall = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(at))
  expect(inLocalTime(`held back until ${at}`)).toBe(`held back until ${wall}`)
  expect(inLocalTime('the device 2026-99-99T99:99:99Z')).toBe('the device 2026-99-99T99:99:99Z')
  expect(inLocalTime('part 1 of 2, code 2026-03')).toBe('part 1 of 2, code 2026-03')
})

test('a local time in Arabic stays in one piece within an English text', async () => {
  await loadLocale(chooseLocale('ar', ['ar']))
  const text = inLocalTime('scheduled for 2037-01-01T12:00:00Z')
  await loadLocale(chooseLocale('en', ['en']))
  expect(text).toMatch(/^scheduled for \u2068[^\u2068\u2069]*2037[^\u2068\u2069]*\u2069$/)
})
