import type { Conversation } from '@smsgw/contract/conversation'
import { expect, test } from 'vitest'
import { listed } from './conversations.ts'

const found = (number: string, id: string): Conversation => ({
  number,
  lastAt: '2026-03-01T08:00:00.000Z',
  lastText: '',
  lastDirection: 'in',
  lastMessageId: id,
})

test('a conversation that a search found again is listed once, with its newest match', () => {
  const pages = [{ body: [found('+1', 'new'), found('+2', 'a')] }, { body: [found('+3', 'b'), found('+1', 'old')] }]
  expect(listed(pages).map(({ number, lastMessageId }) => [number, lastMessageId])).toEqual([
    ['+1', 'new'],
    ['+2', 'a'],
    ['+3', 'b'],
  ])
})
