import type { Conversation } from '@smsgw/contract/inbox/conversation'
import { expect, test } from 'vitest'
import { earlierIds, listed, replyIn } from './conversations.ts'

const found = (number: string, id: string): Conversation => ({
  number,
  lastAt: '2026-03-01T08:00:00.000Z',
  lastText: '',
  lastDirection: 'in',
  lastMessageId: id,
})

test('a conversation that a search finds twice is listed once, with its newest match', () => {
  const pages = [{ body: [found('+1', 'new'), found('+2', 'a')] }, { body: [found('+3', 'b'), found('+1', 'old')] }]
  expect(listed(pages).map(({ number, lastMessageId }) => [number, lastMessageId])).toEqual([
    ['+1', 'new'],
    ['+2', 'a'],
    ['+3', 'b'],
  ])
})

test('a reply is recognised with any clock of its network, but not if it arrived before the message was sent', () => {
  const sentAt = Date.parse('2026-03-01T08:00:00.000Z')
  const before = { id: 'before', createdAt: '2026-03-01T06:00:00.000Z' }
  const quick = { id: 'quick', createdAt: '2026-03-01T07:59:58.000Z' }
  const slowClock = { id: 'slow-clock', createdAt: '2026-03-01T05:00:00.000Z' }
  const any = () => true
  const earlier = earlierIds([quick, before], sentAt)
  expect(replyIn([quick, before], earlier, any).reply).toBe(quick)
  expect(replyIn([before], earlier, any).reply).toBeNull()
  expect(replyIn([before, slowClock], earlier, any).reply).toBe(slowClock)
})
