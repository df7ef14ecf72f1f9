import { ManualClock } from '@smsgw/virtual-modem/manual-clock'
import { expect, test } from 'vitest'
import type { Change } from './change.ts'
import { type Journal, JournalError } from './journal.ts'
import { keepWriting } from './keep-writing.ts'

const changes: readonly Change[] = [{ kind: 'note', name: 'n', value: 1 }]

test('retries while the disk is full, and reports each failure', async () => {
  const world = keeping(['full', 'failed', 'full'])
  const kept = world.keep(changes)
  for (let second = 0; second < 3; second += 1) {
    await turn()
    expect(world.written).toBe(0)
    world.clock.advance(1000)
  }
  await kept
  expect(world.written).toBe(1)
  expect(world.problems).toEqual(['full', 'failed', 'full', 'recovered'])
})

test('reports the recovery when the last failed write is on disk', async () => {
  const world = keeping(['full', 'full', 'full'])
  const kept = [world.keep(changes), world.keep(changes)]
  for (let second = 0; second < 4; second += 1) {
    await turn()
    world.clock.advance(1000)
  }
  await Promise.all(kept)
  expect(world.written).toBe(2)
  expect(world.problems).toEqual(['full', 'full', 'full', 'recovered'])
})

test('keeps the order of writes while the disk is full', async () => {
  const world = keeping(['full', 'full'])
  const kept = [1, 2].map((value) => world.keep([{ kind: 'note', name: 'n', value }]))
  await turn()
  kept.push(world.keep([{ kind: 'note', name: 'n', value: 3 }]))
  await turn()
  expect(world.values).toEqual([])
  for (let second = 0; second < 3; second += 1) {
    world.clock.advance(1000)
    await turn()
  }
  await Promise.all(kept)
  expect(world.values).toEqual([1, 2, 3])
})

test('keeps the order of writes about one message even if only the later write would fit', async () => {
  const world = keeping(['full'])
  const note = (cmdId: string, value: number): Change => ({ kind: 'command-noted', cmdId, note: value })
  const kept = [world.keep([note('a', 1)]), world.keep([note('a', 2)]), world.keep([note('b', 3)])]
  await turn()
  expect(world.values).toEqual([3])
  world.clock.advance(1000)
  await Promise.all(kept)
  expect(world.values).toEqual([3, 1, 2])
})

test('does not retry a change that the journal refuses', async () => {
  const world = keeping(['refused'])
  await expect(world.keep(changes)).rejects.toMatchObject({ reason: 'refused' })
  expect(world.clock.nextAtMs).toBeUndefined()
})

test('never resolves a write after the journal is closed', async () => {
  const world = keeping(['closed'])
  let wentOn = false
  void world.keep(changes).then(() => {
    wentOn = true
  })
  await turn()
  world.clock.advance(60_000)
  await turn()
  expect(wentOn).toBe(false)
  expect(world.problems).toEqual([])
})

function keeping(failures: JournalError['reason'][]) {
  const clock = new ManualClock()
  const problems: string[] = []
  const world = { clock, problems, written: 0, values: [] as unknown[] }
  const journal = {
    write: async ([change]: readonly Change[]) => {
      const reason = failures.shift()
      if (reason !== undefined) throw new JournalError('not now', reason)
      world.written += 1
      if (change?.kind === 'note') world.values.push(change.value)
      if (change?.kind === 'command-noted') world.values.push(change.note)
      return []
    },
  }
  const keep = keepWriting(journal as unknown as Journal, clock, {
    onProblem: ({ reason }) => problems.push(reason),
    onRecovered: () => problems.push('recovered'),
  })
  return Object.assign(world, { keep })
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
