import { beforeEach, expect, test } from 'vitest'
import { VirtualPhones } from './virtual-phones.ts'

const gatewayNumber = '+447700900001'
const alice = '+447400000001'
const bob = '+447400000002'
let sent: string[][]
let nowMs: number
let phones: VirtualPhones
beforeEach(() => {
  sent = []
  nowMs = Date.parse('2026-03-01T09:00:00.000Z')
  const network = { sendText: (from: string, to: string, text: string) => sent.push([from, to, text]) }
  phones = new VirtualPhones({ network, gatewayNumber, epochMs: () => nowMs })
})

const left = (to: string, text: string, part?: { reference: number; total: number; sequence: number }) =>
  phones.receive({ epochMs: nowMs, from: gatewayNumber, to, text, ...(part && { part }) })
const texts = () => phones.look().messages.map(({ text }) => text)

test('a phone shows received and sent messages, newest first', () => {
  left(alice, 'Hello')
  nowMs += 1000
  phones.write({ from: bob, text: 'Who is it?' })
  expect(sent).toEqual([[bob, gatewayNumber, 'Who is it?']])
  expect(phones.look()).toEqual({
    gatewayNumber,
    phones: [bob, alice],
    messages: [
      {
        id: expect.any(String),
        at: '2026-03-01T09:00:01.000Z',
        from: bob,
        to: gatewayNumber,
        text: 'Who is it?',
        direction: 'to-gateway',
      },
      {
        id: expect.any(String),
        at: '2026-03-01T09:00:00.000Z',
        from: gatewayNumber,
        to: alice,
        text: 'Hello',
        direction: 'to-phone',
      },
    ],
    testNumbers: expect.any(Array),
  })
})

test('a long message appears once, after its last part, in any order of the parts', () => {
  left(alice, 'three', { reference: 7, total: 3, sequence: 3 })
  left(bob, 'another', { reference: 7, total: 3, sequence: 2 })
  left(alice, 'one ', { reference: 7, total: 3, sequence: 1 })
  left(alice, 'one ', { reference: 7, total: 3, sequence: 1 })
  expect(texts()).toEqual([])
  left(alice, 'two ', { reference: 7, total: 3, sequence: 2 })
  expect(texts()).toEqual(['one two three'])
})

test('shows data messages as hexadecimal', () => {
  phones.receive({ epochMs: nowMs, from: gatewayNumber, to: alice, data: 'c0ffee' })
  expect(texts()).toEqual(['(data: c0ffee)'])
})

test('drops the oldest messages and incomplete messages', () => {
  for (let count = 1; count <= 201; count += 1) left(alice, `${count}`)
  expect(texts()).toHaveLength(200)
  expect(texts().at(-1)).toBe('2')
  for (let reference = 0; reference <= 50; reference += 1) left(bob, 'one', { reference, total: 2, sequence: 1 })
  left(bob, 'two', { reference: 0, total: 2, sequence: 2 })
  expect(texts()[0]).toBe('201')
  left(bob, 'two', { reference: 50, total: 2, sequence: 2 })
  expect(texts()[0]).toBe('onetwo')
})

test('does not show a message that the network refused', () => {
  const broken = {
    sendText: () => {
      throw new Error('no such SIM')
    },
  }
  const unheard = new VirtualPhones({ network: broken, gatewayNumber, epochMs: () => nowMs })
  expect(() => unheard.write({ from: alice, text: 'Hello' })).toThrow('no such SIM')
  expect(unheard.look().messages).toEqual([])
})

test('shows the reply of a test number as sent by its phone', () => {
  phones.replied({ from: alice, to: gatewayNumber, text: 'STOP' })
  expect(phones.look().messages).toMatchObject([
    { from: alice, to: gatewayNumber, text: 'STOP', direction: 'to-gateway' },
  ])
})
