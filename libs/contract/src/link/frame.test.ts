import { expect, test } from 'vitest'
import { command } from './command.ts'
import { agentEvent } from './event.ts'
import { agentFrames, maxFrameBytes, relayFrames } from './frame.ts'

const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
const sendOf = (text: string) => ({
  kind: 'send',
  cmdId: 'c'.repeat(64),
  messageId: 'm'.repeat(36),
  phoneNumber: '9'.repeat(512),
  content: { text },
  isEncrypted: true,
  simNumber: 64,
  withDeliveryReport: true,
  priority: -128,
  acceptedAt: '2026-03-01T15:46:11.000+07:00',
  validUntil: '2026-03-01T15:46:11.000+07:00',
  onUncertain: 'resolve',
})

test.each([
  ['three bytes each', '水'],
  ['escaped', '"'],
  ['surrogate pairs', '😀'],
])('fits a text of 65 535 characters into one frame: %s', (_, character) => {
  const longest = command.parse(sendOf(character.repeat(65_535).slice(0, 65_535)))
  expect(bytes({ type: 'command', command: longest })).toBeLessThanOrEqual(maxFrameBytes)
})

test('fits the longest text that SMS can carry, with any characters', () => {
  const controlCharacters = '\u0001'.repeat(255 * 67)
  expect(bytes({ type: 'command', command: command.parse(sendOf(controlCharacters)) })).toBeLessThan(maxFrameBytes)
})

test('fits the longest message that can be received', () => {
  const received = agentEvent.parse({
    kind: 'received',
    type: 'SMS',
    id: 'i'.repeat(36),
    receivedAt: '2026-03-01T15:46:11.000+07:00',
    sender: '9'.repeat(128),
    simNumber: 64,
    text: '\u0001'.repeat(255 * 153),
    parts: 255,
  })
  expect(
    bytes({ type: 'events', from: Number.MAX_SAFE_INTEGER, tag: 't'.repeat(64), events: [received] }),
  ).toBeLessThan(maxFrameBytes)
})

test('drops members added by a newer peer', () => {
  expect(relayFrames.stored.parse({ type: 'stored', upto: 3, colour: 'red' })).toEqual({ type: 'stored', upto: 3 })
})

test.each([-1, 1.5, '3', Number.MAX_SAFE_INTEGER + 1, Number.POSITIVE_INFINITY, null])(
  'refuses %s as a mark',
  (upto) => {
    expect(relayFrames.stored.safeParse({ type: 'stored', upto }).success).toBe(false)
  },
)

test('does not let a key change the prototype', () => {
  const frame = JSON.parse('{"type":"telemetry","at":"2026-01-01T00:00:00Z","sample":{"__proto__":{"isAdmin":true}}}')
  const { sample } = agentFrames.telemetry.parse(frame)
  expect('isAdmin' in sample).toBe(false)
})
