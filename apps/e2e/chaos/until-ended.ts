import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../src/house/api-client.ts'
import type { FleetParts } from '../src/house/fleet.ts'
import type { Receiver } from '../src/house/peers/receiver.ts'
import { all, audit, type Findings } from './audit.ts'
import type { ChaosLoad } from './load.ts'

type Print = (line: string) => void

/** Waits until all messages have ended. */
export async function untilEnded(fleet: FleetParts, load: ChaosLoad, print: Print): Promise<void> {
  print(`${load.sent.length} accepted; waiting until all have ended`)
  const open = async () =>
    (
      await Promise.all(
        ['Pending', 'Processed', 'Cancelling'].map((state) => all(fleet, `/messages?limit=100&state=${state}`)),
      )
    ).flat()
  const limitMs = 180_000 + load.sent.length * 20
  await eventually(open, ({ length }) => length === 0, limitMs).catch(() => print('some messages have not ended'))
}

/**
 * Audits until nothing is missing and no webhook request has arrived for three seconds. A late delivery report or a
 * retried webhook is not a loss, but it counts as lost if it has not arrived after three minutes.
 */
export async function auditUntilComplete(
  fleet: FleetParts,
  load: ChaosLoad,
  receiver: Receiver,
  print: Print,
): Promise<Findings> {
  const beganAt = performance.now()
  for (;;) {
    const requestsBefore = receiver.requests.length
    await sleep(3_000)
    const findings = await audit(fleet, load, receiver)
    const tookMs = performance.now() - beganAt
    const isComplete = findings.lost.length === 0 && receiver.requests.length === requestsBefore
    if (!isComplete && tookMs < 180_000) continue
    if (isComplete) print(`everything had arrived ${(tookMs / 1000).toFixed(1)} s after all messages had ended`)
    return findings
  }
}
