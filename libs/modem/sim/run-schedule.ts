import { timePasser } from '@smsgw/simulation/pass-time'
import type { ScheduleReport } from '@smsgw/simulation/simulation'
import type { DriverCall } from './calls.ts'
import { judgeDriver } from './judge.ts'
import { type DriverSchedule, planDriverSchedule } from './schedule.ts'
import { DriverWorld, mostWrites } from './world.ts'

export interface DriverReport extends ScheduleReport {
  readonly schedule: DriverSchedule
  readonly trace: readonly string[]
}

const passTime = timePasser(process.nextTick)

/**
 * Runs one schedule on a virtual clock, so that the same seed always gives the same bytes. At the end all faults are
 * removed. Then every call must end, every message on the modem must be read, and one more message must be sent.
 */
export async function runDriverSchedule(
  seed: number,
  options: { readonly tracing?: boolean } = {},
): Promise<DriverReport> {
  const schedule = planDriverSchedule(seed)
  const world = new DriverWorld(schedule, options.tracing ?? false)
  const problems: string[] = []
  await pass(world, schedule.endMs)
  world.calmDown()
  const settled = await passUntil(world, () => isSettled(world), longestEndMs)
  if (world.writes >= mostWrites) problems.push(`${world.writes} commands in ${world.clock.nowMs()} ms`)
  else if (!settled) problems.push(`not settled: ${whatIsOpen(world)}`)
  if (settled && schedule.pin === 'none' && !(await sendsAgain(world))) problems.push('no message can be sent any more')
  problems.push(...judgeDriver(world))
  await Promise.all([world.runner.stop(), pass(world, 5_000)])
  return { schedule, problems, seen: seenIn(world), virtualMs: world.clock.nowMs(), trace: world.trace }
}

/**
 * Tries twice. The first attempt may fail because a message that was sent before the faults were removed may still be
 * waiting for its answer.
 */
async function sendsAgain(world: DriverWorld): Promise<boolean> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    world.submit(`final ${tries}`, { hook: { decision: 'go', afterMs: 0 }, report: false, moreFollow: false })
    const call = world.submits.at(-1)
    await passUntil(world, () => call?.endedAtMs !== undefined && isSettled(world), longestEndMs)
    if (call?.outcome?.kind === 'accepted') return true
    await pass(world, 30_000)
  }
  return false
}

const mostTries = 10
const longestEndMs = 3_600_000

function isSettled(world: DriverWorld): boolean {
  if (world.submits.some(isOpen) || world.otherCalls.some(isOpen)) return false
  if (world.schedule.pin !== 'none') return true
  const { state } = world.runner
  return state?.kind === 'healthy' && state.service && world.injected.every((text) => world.journal.has(text))
}

function isOpen({ endedAtMs }: DriverCall): boolean {
  return endedAtMs === undefined
}

function whatIsOpen(world: DriverWorld): string {
  const calls = [...world.submits, ...world.otherCalls].filter(isOpen)
  const unread = world.injected.filter((text) => !world.journal.has(text))
  const state = JSON.stringify(world.runner.state)
  return `calls ${calls.map(({ what, atMs }) => `${what}@${atMs}`)}; unread ${unread}; ${state}`
}

async function pass(world: DriverWorld, ms: number): Promise<void> {
  await passTime(world.clock, ms, () => world.writes >= mostWrites)
}

async function passUntil(world: DriverWorld, done: () => boolean, mostMs: number): Promise<boolean> {
  await passTime(world.clock, mostMs, () => done() || world.writes >= mostWrites)
  return done()
}

function seenIn(world: DriverWorld): Record<string, number> {
  const seen: Record<string, number> = {}
  const count = (what: string, times = 1) => {
    seen[what] = (seen[what] ?? 0) + times
  }
  for (const { outcome, late } of world.submits) {
    if (outcome?.kind === 'accepted') count(outcome.duplicate ? 'accepted as duplicate' : 'accepted')
    else if (outcome?.kind === 'refused') count(`refused ${outcome.pduWritten ? 'after' : 'before'} the PDU`)
    else if (outcome) count(`${outcome.kind}: ${outcome.why}`)
    for (const { kind } of late) count(`late: ${kind}`)
  }
  count('messages read', world.journal.size)
  count(
    'read again',
    [...world.journal.values()].reduce((sum, times) => sum + times - 1, 0),
  )
  count('reports read', world.reports.length)
  for (const news of world.news) count(`recovery: ${news}`)
  count('second port: answered', world.answeredOnSecondPort)
  count('second port: listings', world.writtenOnSecondPort.filter((text) => text.startsWith('AT+CMGL')).length)
  if (world.schedule.answersLost) {
    count('answers lost: schedules')
    count('answers lost: recovered in time', world.recovery.recoveriesMs.length)
    count('answers lost: asked while sending', world.recovery.askedWhileSending)
  }
  return seen
}
