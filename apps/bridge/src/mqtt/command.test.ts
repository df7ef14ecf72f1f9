import { expect, test } from 'vitest'
import { readCommand } from './command.ts'

const read = (payload: unknown) =>
  readCommand(
    Buffer.isBuffer(payload) ? payload : Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)),
  )

test('reads a command with one or several recipients', () => {
  const alias = `alias:${'k'.repeat(118)}`
  expect(read({ to: alias, text: 'Hello' })).toEqual({ command: { to: alias, text: 'Hello' } })
  expect(read({ to: '+447400123456', text: 'Hello' })).toEqual({ command: { to: '+447400123456', text: 'Hello' } })
  const full = {
    to: ['+447400123456', '+447400123457'],
    text: 'Hello',
    id: 'door-1',
    simNumber: 2,
    priority: 100,
    ttl: 60,
  }
  expect(read(full)).toEqual({ command: full })
})

test.each([
  ['no JSON', 'Hello', 'the payload is not JSON'],
  ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'the payload is not JSON'],
  ['no object', '"Hello"', 'payload:'],
  ['no recipient', { text: 'Hello' }, 'to:'],
  ['no recipients', { to: [], text: 'Hello' }, 'to:'],
  ['too many recipients', { to: Array.from({ length: 101 }, () => '+447400123456'), text: 'x' }, 'to:'],
  ['no text', { to: '+447400123456' }, 'text:'],
  ['an empty text', { to: '+447400123456', text: '' }, 'text:'],
  ['a text of many thousand characters', { to: '+447400123456', text: 'x'.repeat(10_001) }, 'text:'],
  ['a SIM that is not a number', { to: '+447400123456', text: 'x', simNumber: '1' }, 'simNumber:'],
])('refuses a command with %s', (_, payload, problem) => {
  expect(read(payload)).toEqual({ problem: expect.stringContaining(problem), id: undefined })
})

test('names the id of a refused command', () => {
  expect(read({ id: 'door-1', to: 5, text: 'x' })).toEqual({ problem: expect.stringContaining('to:'), id: 'door-1' })
})
