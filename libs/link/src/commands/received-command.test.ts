import { expect, test } from 'vitest'
import { receiveCommand } from './received-command.ts'

test('recognises an unsupported command, so that it can be refused', () => {
  expect(receiveCommand({ kind: 'dance', cmdId: 'c1' })).toMatchObject({ key: 'dance:c1', cmdId: 'c1' })
  expect(receiveCommand({ kind: 'cancel', cmdId: 'c1' })).toEqual({ command: { kind: 'cancel', cmdId: 'c1' } })
})

test.each([undefined, null, 7, {}, { kind: 'send' }, { cmdId: 'c1' }, { kind: 'x'.repeat(16), cmdId: 'c1' }])(
  '%o is not a command',
  (value) => {
    expect(receiveCommand(value)).toBeUndefined()
  },
)
