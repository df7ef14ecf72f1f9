import { expect, test } from 'vitest'
import { type EnteredPin, PinMemory } from './pin-memory.ts'

const entered = (sim: string | null, pin: string, verdict: EnteredPin['verdict'] = 'refused'): EnteredPin => {
  return { sim, pin, verdict, entries: 1, triesBefore: 3 }
}

test('stores simultaneous changes of two modems, even on a slow disk', async () => {
  let disk: readonly EnteredPin[] = []
  let slow: (() => void) | undefined
  const memory = new PinMemory({
    keep: async (records) => {
      if (slow === undefined) {
        await new Promise<void>((resolve) => {
          slow = resolve
        })
      }
      disk = records
    },
  })
  const both = [memory.note(entered('one', '1111')), memory.note(entered('two', '2222'))]
  await Promise.resolve()
  slow?.()
  expect(await Promise.all(both)).toEqual([true, true])
  expect(disk.map(({ pin }) => pin)).toEqual(['1111', '2222'])
})

test('stores the records again with the next change after a disk error', async () => {
  let failures = 1
  const kept: number[] = []
  const memory = new PinMemory({
    keep: (records) => {
      failures -= 1
      if (failures >= 0) throw new Error('the disk is full')
      kept.push(records.length)
    },
  })
  expect(await memory.note(entered('one', '1111'))).toBe(false)
  expect(await memory.note(entered('two', '2222'))).toBe(true)
  expect(kept).toEqual([2])
})

test('deletes the record of the PIN that has unlocked the SIM, and no other', async () => {
  const records = [
    entered('one', '1111'),
    entered('one', '2222', 'open'),
    entered('two', '2222'),
    entered(null, '3333'),
  ]
  const memory = new PinMemory({ records })
  await memory.forget('one', '2222')
  expect(memory.records).toEqual([records[0], records[2], records[3]])
})
