import { readFileSync } from 'node:fs'
import type { PushContent } from '@smsgw/contract/live/push-event'
import { expect, test } from 'vitest'
import { notificationOf } from './notification.ts'

const wordsOf = (language: string) =>
  JSON.parse(readFileSync(new URL(`../words/${language}.json`, import.meta.url), 'utf8'))
const content = (more: Partial<PushContent>): PushContent => ({
  ...{ kind: 'message.received', language: 'en', count: 1, about: '+447700900123' },
  ...more,
})
const shown = (more: Partial<PushContent>, language = 'en') => {
  const notification = notificationOf(content(more), wordsOf(language))
  return notification && { ...notification, title: notification.title.replace(/[\u2068\u2069]/g, '') }
}

test('a received message is named by its sender, and opens the conversation', () => {
  expect(shown({})).toEqual({
    title: 'New message from +447700900123',
    body: '',
    tag: 'message.received +447700900123',
    path: '/conversations/%2B447700900123',
  })
  expect(shown({ text: 'Are you coming?' })?.body).toBe('Are you coming?')
  expect(shown({ count: 3 })?.title).toBe('New messages from +447700900123 (3)')
})

test('a sender with an alias is named by its code', () => {
  const about = `alias:${'k'.repeat(16)}Ab3_x-${'Z'.repeat(42)}`
  expect(shown({ about })).toMatchObject({
    title: 'New message from Hidden number Ab3_x-',
    path: `/conversations/${encodeURIComponent(about)}`,
  })
})

test('one failed message opens itself, and several failed messages open the list of failed messages', () => {
  const failed = { kind: 'message.failed', id: 'm/1' } as const
  expect(shown(failed)).toMatchObject({ title: 'Message to +447700900123 failed', path: '/messages/m%2F1' })
  expect(shown({ ...failed, count: 12 })).toMatchObject({
    title: 'Failed messages: 12',
    path: '/messages?state=Failed',
  })
})

test('an offline device opens its page', () => {
  const offline = { kind: 'device.offline', about: 'attic', id: 'd1' } as const
  expect(shown(offline)).toMatchObject({ title: 'attic is offline', path: '/devices/d1' })
})

test.each(['en', 'de', 'es', 'ar'])('every kind has a text in %s', (language) => {
  for (const kind of ['message.received', 'message.failed', 'device.offline', 'test'] as const)
    for (const count of [1, 2]) expect(shown({ kind, count, id: 'x' }, language)?.title).not.toMatch(/^$|[{}]/)
})

test('a number keeps its direction within a title', () => {
  expect(notificationOf(content({}), wordsOf('ar'))?.title).toContain('\u2068+447700900123\u2069')
})

test('a kind that only a newer relay sends is not shown', () => {
  expect(shown({ kind: 'something.new' as never })).toBeUndefined()
})
