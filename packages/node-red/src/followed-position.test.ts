import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FollowedPosition } from './followed-position.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-position-'))
  file = join(folder, 'smsgw/node.log')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('continues where it stopped, even if the last line is incomplete', () => {
  const position = new FollowedPosition(file)
  position.add({ id: 'a', at: 1000 })
  position.add({ event: 's.1', at: 1001 })
  appendFileSync(file, '{"id":"b","a')
  const again = new FollowedPosition(file)
  expect([again.has('a'), again.has('b'), again.lastEventId, again.reachedAt]).toEqual([true, false, 's.1', 1001])
  again.add({ id: 'b', at: 1002 })
  expect(new FollowedPosition(file).has('b')).toBe(true)
})

test('the file stays short, and messages are removed from it after two weeks', () => {
  const position = new FollowedPosition(file)
  position.add({ id: 'old', at: 0 })
  for (let event = 1; event <= 2_500; event += 1) position.add({ event: `s.${event}`, at: 15 * 86_400_000 + event })
  expect(readFileSync(file, 'utf8').split('\n').length).toBeLessThan(1_100)
  const again = new FollowedPosition(file)
  expect([again.has('old'), again.lastEventId]).toEqual([false, 's.2500'])
})
