import type { House } from '../src/house/house.ts'
import type { HouseProcess } from '../src/house/machine/process.ts'
import { type Audit, Traffic } from '../src/house/traffic.ts'

export interface Crash {
  readonly who: 'agent' | 'relay'
  readonly label: string
  /** The number of the pass through the crash point at which the process is killed, counted from 1. */
  readonly pass: number
}

/**
 * Sends, receives and cancels messages. Meanwhile, kills one process at a crash point and restarts it. Then compares
 * the final states in the API with the ledger. If `crashed` is false, the traffic never reached the crash point.
 */
export async function runCrash(
  house: House,
  crash: Crash,
  number: number,
): Promise<Audit & { readonly crashed: boolean }> {
  const victim = await aim(house, crash)
  const traffic = new Traffic(house, number)
  // Makes the last message slow. Otherwise, it might be sent before it is cancelled.
  const slow = { modem: 'modem0', fault: 'submit-slow', options: { delayMs: 4000 } }
  if (crash.label === 'cancel-arrived') await house.emulator.instruct('set-fault', slow)
  await pass(traffic)
  // Waits until the device has taken the message, because the relay itself cancels messages that no device has taken.
  if (crash.label === 'cancel-arrived') await traffic.untilLastTaken()
  if (!victim.isOver) await traffic.cancelLast()
  const crashed = await endOf(victim, 20_000)
  if (crash.label === 'cancel-arrived') await house.emulator.instruct('clear-fault', { modem: 'modem0' })
  if (crashed && crash.who === 'agent') await house.startAgent({}, false)
  if (crashed && crash.who === 'relay') await house.restartRelay()
  return { crashed, ...(await traffic.audit()) }
}

async function aim(house: House, { who, label, pass }: Crash): Promise<HouseProcess> {
  const at = { SMSGW_CRASH_AT: `${label}:${pass}` }
  if (who === 'agent') {
    await house.agent?.stop()
    // The agent may crash before it is ready.
    const agent = await house.startAgent(at, false)
    await Promise.race([house.untilReady(), agent.ended()])
    return agent
  }
  await house.relay.stop()
  await house.restartRelay(at)
  const { relay } = house
  await Promise.race([house.untilReady(), relay.ended()])
  return relay
}

/** Messages with one part, a long message, and incoming messages. */
async function pass(traffic: Traffic): Promise<void> {
  for (const text of ['one', 'long '.repeat(70), 'three', 'four']) {
    await traffic.send(text)
    await traffic.receive(text.slice(0, 5))
  }
}

async function endOf(victim: HouseProcess, limitMs: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(false), limitMs)
  const ended = await Promise.race([victim.ended().then(() => true), promise])
  clearTimeout(timer)
  return ended
}
