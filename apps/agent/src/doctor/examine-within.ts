import type { Wanted } from '../modems/discovery/find-places.ts'
import type { AgentStatus } from '../status/agent-status.ts'
import { checkDataFolder } from './checks/check-data-folder.ts'
import { checkClock, checkPower, checkRuntime } from './checks/check-machine.ts'
import { checkModem } from './checks/check-modem.ts'
import { checkPorts } from './checks/check-ports.ts'
import { linkFinding } from './examine.ts'
import type { ModemExamination } from './examine-modem.ts'
import { type CodedFinding, failFinding, okFinding } from './finding.ts'

export interface RunningAgent {
  readonly dataDir: string
  readonly wanted: Wanted
  readonly status: () => AgentStatus
  readonly examineModems: () => Promise<readonly ModemExamination[]>
}

/**
 * Runs the doctor inside the agent, when the relay requests it. Leaves out checks that would disturb the agent, and the
 * check of the relay, because the request itself proves that the relay works.
 */
export async function examineWithin({
  dataDir,
  wanted,
  status,
  examineModems,
}: RunningAgent): Promise<readonly CodedFinding[]> {
  const { journal, version, link, pid, modems } = status()
  return [
    okFinding('agent', `running, version ${version}`, { code: 'agent.running', values: { version } }),
    ...(await checkRuntime()),
    ...checkDataFolder(dataDir, journal.fsyncMs),
    ...(journal.problem === undefined
      ? []
      : [
          failFinding(
            'journal',
            journal.problem,
            'free disk space or replace the disk; no messages are accepted until then',
            {
              code: 'journal.failed',
              values: { problem: journal.problem },
            },
          ),
        ]),
    ...checkPower(),
    ...checkClock(),
    ...(await checkPorts(wanted, { pid, modems })),
    ...(await examineModems()).flatMap(checkModem),
    linkFinding(link),
  ]
}
