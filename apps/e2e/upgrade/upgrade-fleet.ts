import { setTimeout as sleep } from 'node:timers/promises'
import { all, audit, type Findings } from '../chaos/audit.ts'
import { everything, failing, untilRecovered } from '../chaos/health.ts'
import { ChaosLoad } from '../chaos/load.ts'
import { seededNumbers } from '../chaos/seeded-random.ts'
import { eventually } from '../src/house/api-client.ts'
import { currentPrograms, type Fleet, startFleet } from '../src/house/fleet.ts'
import { Receiver } from '../src/house/peers/receiver.ts'

export interface UpgradeProof {
  /** The main file of each program of the previous release. */
  readonly previous: Readonly<Record<'relay' | 'agent' | 'gateway', string>>
  readonly everyMs: number
  readonly log: (line: string) => void
}

/** The number of messages that are sent in each mixture of releases. */
const MESSAGES_PER_STEP = 25

/**
 * Upgrades two relays on one database and two agents. Each step replaces one program while messages are sent: It
 * upgrades the relays and then the agents, downgrades them in the reverse order, and upgrades them again with the
 * agents first. So an old agent is connected to a new relay, and a new agent to an old relay. Returns the problems.
 */
export async function upgradeFleet({ previous, everyMs, log }: UpgradeProof): Promise<readonly string[]> {
  const receiver = await Receiver.start()
  const crashes: string[] = []
  // Lets virtual modems send. Agents before 0.1.0 do not mark their modems as virtual, so the relay treats these
  // modems as real. By default, if an account has a real modem, its virtual modems send nothing.
  const settings = { MIX_EMULATED_MODEMS: '1' }
  const fleet = await startFleet((line) => crashes.push(line), { ...previous, settings })
  try {
    await untilReady(fleet)
    log('relays and agents of the previous release are ready')
    for (const event of ['sms:received', 'sms:sent', 'sms:delivered', 'sms:failed'])
      await fleet.relays[0]?.api.ask('POST', '/webhooks', { url: receiver.url, event })
    const load = new ChaosLoad(fleet, seededNumbers(1))
    let isOver = false
    const running = load.run(Number.POSITIVE_INFINITY, everyMs, () => isOver)
    const messages = async () => {
      const wanted = load.sent.length + MESSAGES_PER_STEP
      await eventually(
        () => load.sent.length,
        (count) => count >= wanted,
      )
    }
    await messages()
    for (const [release, order] of STEPS) {
      const programs = release === 'new' ? currentPrograms : previous
      for (const [kind, at] of order) {
        const post = fleet[`${kind}s`][at]?.post
        await post?.replaceWith(programs[kind])
        await untilReady(fleet)
        await messages()
        log(`${post?.name} runs the ${release} release; ${load.sent.length} messages accepted`)
      }
    }
    isOver = true
    await running
    await untilEnded(fleet)
    const findings = await completeAudit(fleet, load, receiver)
    log(`${load.sent.length} sent, ${load.received.length} received, ${findings.inDoubt.length} in doubt`)
    const { lost, duplicated, inDoubt, notEnded, wrong } = findings
    return [...Object.entries({ lost, duplicated, 'in doubt': inDoubt, 'not ended': notEnded, wrong })]
      .flatMap(([kind, each]) => each.map((problem) => `${kind}: ${problem}`))
      .concat(crashes)
  } finally {
    await fleet.stop()
    await receiver.stop()
  }
}

type Part = readonly [kind: 'relay' | 'agent', at: 0 | 1]

const STEPS: readonly (readonly [release: 'new' | 'previous', order: readonly Part[]])[] = [
  [
    'new',
    [
      ['relay', 0],
      ['relay', 1],
      ['agent', 0],
      ['agent', 1],
    ],
  ],
  [
    'previous',
    [
      ['agent', 1],
      ['agent', 0],
      ['relay', 1],
      ['relay', 0],
    ],
  ],
  [
    'new',
    [
      ['agent', 0],
      ['relay', 0],
      ['agent', 1],
      ['relay', 1],
    ],
  ],
]

async function untilReady(fleet: Fleet): Promise<void> {
  const beganAt = performance.now()
  const missing = await untilRecovered(
    () => failing(fleet),
    everything(fleet),
    180_000,
    () => beganAt,
  )
  if (missing.length > 0) throw new Error(`not ready after three minutes: ${missing.join(', ')}`)
}

async function untilEnded(fleet: Fleet): Promise<void> {
  const open = async () =>
    (
      await Promise.all(['Pending', 'Processed'].map((state) => all(fleet, `/messages?limit=100&state=${state}`)))
    ).flat()
  await eventually(open, ({ length }) => length === 0, 240_000)
}

/** Repeats the comparison until nothing is missing, because delivery reports and webhooks may still arrive. */
async function completeAudit(fleet: Fleet, load: ChaosLoad, receiver: Receiver): Promise<Findings> {
  const until = performance.now() + 120_000
  for (;;) {
    await sleep(3_000)
    const findings = await audit(fleet, load, receiver)
    if (findings.lost.length === 0 || performance.now() > until) return findings
  }
}
