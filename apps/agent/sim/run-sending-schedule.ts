import { timePasser } from '@smsgw/simulation/pass-time'
import type { ScheduleReport } from '@smsgw/simulation/simulation'
import { judgeSending } from './judge-sending.ts'
import { SendingWorld } from './sending-world.ts'

const passTime = timePasser(process.nextTick)

/**
 * Runs one schedule: some minutes with faults, then six days without faults. At the end, every message must have a
 * final state.
 */
export async function runSendingSchedule(seed: number): Promise<ScheduleReport> {
  const world = new SendingWorld(seed)
  await started(world)
  const steps = 5 + world.random.integer(25)
  for (let step = 0; step < steps; step += 1) {
    const what = world.random.next()
    if (what < 0.5) world.accept()
    else if (what < 0.6) world.cancel()
    else if (what < 0.75) {
      world.kill()
      await passTime(world.clock, world.random.integer(120_000))
      await started(world)
    } else if (what < 0.81) world.replugSim()
    else if (what < 0.85) world.changeSettings()
    else if (what < 0.88) world.loseTime()
    else if (what < 0.91) world.fillDisk()
    else if (what < 0.95) world.loseNetwork()
    // Half of the steps are short, so that processes are killed at every moment of a submission.
    await passTime(world.clock, world.random.next() < 0.5 ? world.random.integer(40) : world.random.integer(20_000))
  }
  await passTime(world.clock, 6 * 24 * 60 * 60_000)
  const judged = await judgeSending(world)
  // After some days, the journal has removed most records. The remaining records must not cause further events.
  const before = await world.done()
  await passTime(world.clock, 4 * 24 * 60 * 60_000)
  world.forget()
  world.kill()
  await started(world)
  await passTime(world.clock, 60 * 60_000)
  const after = await world.done()
  const problems =
    after === before
      ? judged.problems
      : [...judged.problems, `the journal caused changes after all messages had ended: from ${before} to ${after}`]
  world.kill()
  world.disk.close()
  return { ...judged, problems, virtualMs: world.clock.nowMs() }
}

async function started(world: SendingWorld): Promise<void> {
  let isUp = false
  const starting = world.start().then(() => {
    isUp = true
  })
  await passTime(world.clock, 600_000, () => isUp)
  await starting
}
