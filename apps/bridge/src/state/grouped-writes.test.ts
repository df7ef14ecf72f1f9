import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { GroupedWrites, Notes, openState } from './bridge-state.ts'

test('commits simultaneous writes together, and a failed write undoes only its group', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'smsgw-state-'))
  const database = openState(folder)
  const other = openState(folder)
  const writes = new GroupedWrites(database)
  const notes = new Notes(database)
  const write = (name: string) =>
    writes.run(() => {
      notes.write(name, 'stored')
      return name
    })
  const both = [write('one'), write('two')]
  expect(new Notes(other).read('one')).toBeUndefined()
  expect(await Promise.all(both)).toEqual(['one', 'two'])
  expect([new Notes(other).read('one'), new Notes(other).read('two')]).toEqual(['stored', 'stored'])
  const failing = writes.run(() => {
    throw new Error('disk full')
  })
  const results = await Promise.allSettled([write('three'), failing])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(notes.read('three')).toBeUndefined()
  expect(await write('four')).toBe('four')
  database.close()
  other.close()
  rmSync(folder, { recursive: true, force: true })
})
