import { expect, test } from 'vitest'
import { runCommandLine } from './command-line.ts'
import type { WorkerThread } from './in-workers.ts'
import { runSchedules, type ScheduleReport, type SimulationWork } from './simulation.ts'

/** A worker that runs its share of the schedules in this thread. */
function inThread(runSchedule: (seed: number) => ScheduleReport, exitCode = 0) {
  return (work: SimulationWork): WorkerThread => {
    const listeners = new Map<string, (value: unknown) => void>()
    const post = (report: unknown) => listeners.get('message')?.(structuredClone(report))
    queueMicrotask(async () => {
      await runSchedules(work, { runSchedule, post, reportEvery: 10 })
      listeners.get('exit')?.(exitCode)
    })
    return { on: (event, listener) => listeners.set(event, listener) }
  }
}

async function run(args: readonly string[], startWorker: (work: SimulationWork) => WorkerThread) {
  const lines: string[] = []
  const exitCode = await runCommandLine({
    arguments: args,
    defaults: { schedules: 100, seed: 1, workers: 2 },
    startWorker,
    replay: (seed) => ({ schedule: { seed }, trace: ['step 1'], problems: seed === 7 ? ['lost'] : [] }),
    nowMs: () => 0,
    print: (line) => lines.push(line),
  })
  return { exitCode, lines }
}

const passes = (): ScheduleReport => ({ problems: [], seen: { sent: 1 }, virtualMs: 3_600_000 })

test('runs every seed once, with any number of workers, and adds up the reports', async () => {
  const seeds: number[] = []
  const runSchedule = (seed: number) => {
    seeds.push(seed)
    return passes()
  }
  const { exitCode, lines } = await run(['--schedules', '25', '--seed', '100', '--workers', '3'], inThread(runSchedule))
  expect(exitCode).toBe(0)
  expect(seeds.sort()).toEqual(Array.from({ length: 25 }, (_, at) => 100 + at))
  expect(lines[0]).toBe('25 schedules from seed 100 on, 3 workers')
  expect(lines).toContain(`  ${'sent'.padEnd('hours on the virtual clock'.length)}  25`)
  expect(lines.at(-1)).toBe('25 schedules in 0 s: 0 failures')
})

test('prints the seed and the problems of each failure and returns exit code 1', async () => {
  const startWorker = inThread((seed) => ({ ...passes(), problems: seed === 5 ? ['sent twice'] : [] }))
  const { exitCode, lines } = await run(['--schedules', '10', '--workers', '1'], startWorker)
  expect(exitCode).toBe(1)
  expect(lines).toContain('seed 5 failed')
  expect(lines).toContain('\nseed 5 (--replay 5 shows each step):\n  sent twice')
  expect(lines.at(-1)).toBe('10 schedules in 0 s: 1 failures')
})

test('stops a worker after ten failures', async () => {
  const startWorker = inThread(() => ({ ...passes(), problems: ['broken'] }))
  const { lines } = await run(['--schedules', '100', '--workers', '1'], startWorker)
  expect(lines.at(-1)).toBe('10 schedules in 0 s: 10 failures')
})

test('rejects when a worker exits with an error code', async () => {
  await expect(run([], inThread(passes, 1))).rejects.toThrow('a worker exited with code 1 before it finished its work')
})

test('replays one seed with its trace', async () => {
  expect(await run(['--replay', '7'], inThread(passes))).toEqual({
    exitCode: 1,
    lines: ['{\n  "seed": 7\n}', 'step 1', 'broken:\n  lost'],
  })
  expect((await run(['--replay', '8'], inThread(passes))).lines.at(-1)).toBe('no guarantee was broken')
})

test.each([['--schedules', '0'], ['--workers', '0'], ['--seed', 'x'], ['--seed'], ['--speed', '1'], ['12']])(
  'refuses the arguments %s %s with the usage',
  async (...args) => {
    const { exitCode, lines } = await run(args, inThread(passes))
    expect(exitCode).toBe(2)
    expect(lines).toEqual([expect.stringContaining('usage: run-simulation.ts')])
  },
)
