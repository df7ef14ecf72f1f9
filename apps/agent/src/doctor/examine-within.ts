import type { Wanted } from '../modems/find-places.ts'
import type { AgentStatus } from '../status/agent-status.ts'
import type { ModemExamination } from '../status/examine-modem.ts'
import { checkClock } from './check-clock.ts'
import { checkDataFolder } from './check-data-folder.ts'
import { checkModem } from './check-modem.ts'
import { checkPorts } from './check-ports.ts'
import { checkPower } from './check-power.ts'
import { checkRuntime } from './check-runtime.ts'
import { linkFinding } from './examine.ts'
import { type Finding, fail, ok } from './finding.ts'

export interface RunningAgent {
  readonly dataDir: string
  readonly wanted: Wanted
  readonly status: () => AgentStatus
  readonly examineModems: () => Promise<readonly ModemExamination[]>
}

/**
 * The doctor of an agent that runs, from within it: what the one on the command line finds, without what would disturb its
 * work. That it hears of the relay is proved by who asks.
 */
export async function examineWithin({
  dataDir,
  wanted,
  status,
  examineModems,
}: RunningAgent): Promise<readonly Finding[]> {
  const { journal, version, link } = status()
  return [
    ok('agent', `runs, version ${version}`),
    ...(await checkRuntime()),
    ...checkDataFolder(dataDir, journal.fsyncMs),
    ...(journal.trouble === undefined
      ? []
      : [fail('journal', journal.trouble, 'nothing is accepted until it is mended')]),
    ...checkPower(),
    ...checkClock(),
    ...(await portFindings(wanted)),
    ...(await examineModems()).flatMap(checkModem),
    linkFinding(link),
  ]
}

/** A modem that is part of this process has no port that somebody else could hold. */
async function portFindings({ auto, addresses }: Wanted): Promise<readonly Finding[]> {
  const real = addresses.filter((address) => address !== virtual)
  if (real.length === 0 && !auto) return [ok('modems', 'a virtual one, which is part of this program')]
  return checkPorts({ auto, addresses: real }, process.pid)
}

const virtual = 'virtual'
