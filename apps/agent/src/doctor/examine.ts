import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { asStarted, asTyped } from '@smsgw/daemon/as-typed'
import { type DataFolder, tryDataFolder } from '@smsgw/daemon/data-folder'
import { StartError } from '@smsgw/daemon/start-error'
import { type AgentConfig, checkedRelayUrl, wantedModems } from '../config.ts'
import { AgentIdentity, identityFile } from '../link/agent-identity.ts'
import { inThisProcess } from '../link/in-process-socket.ts'
import type { AgentStatus, LinkStatus } from '../status/agent-status.ts'
import { askAgent } from '../status/ask-agent.ts'
import type { ModemExamination } from '../status/examine-modem.ts'
import { checkClock } from './check-clock.ts'
import { checkDataFolder } from './check-data-folder.ts'
import { checkModem } from './check-modem.ts'
import { checkPorts } from './check-ports.ts'
import { checkPower } from './check-power.ts'
import { checkRelay } from './check-relay.ts'
import { checkRuntime } from './check-runtime.ts'
import { examineAlone } from './examine-alone.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

export interface Examination {
  readonly findings: readonly Finding[]
  /** Of the agent that runs, if one does. */
  readonly status: AgentStatus | undefined
  readonly modems: readonly ModemExamination[]
}

/**
 * Looks at everything that an agent needs, from the machine up to the network and the relay, and says each thing as soon
 * as it is known. An agent that runs is asked for what only it can see; without one the modems are spoken with from here.
 */
export async function examine(config: AgentConfig, tell: (finding: Finding) => void): Promise<Examination> {
  const findings: Finding[] = []
  const say = (found: readonly Finding[]) => {
    findings.push(...found)
    found.forEach(tell)
  }
  say(await checkRuntime())
  say(checkDataFolder(config.DATA_DIR))
  say(checkPower())
  say(checkClock())
  const agent = await findAgent(config.DATA_DIR)
  say([agent.finding])
  const { status } = agent
  say(await checkPorts(wantedModems(config), status?.pid))
  const modems = await examineModems(config, agent)
  say(modems.flatMap(checkModem))
  say(await relayFindings(config))
  if (status !== undefined) say([linkFinding(status.link)])
  return { findings, status, modems }
}

interface FoundAgent {
  readonly finding: Finding
  readonly status?: AgentStatus
  /** Held meanwhile, so that none starts. Undefined with no status: one may run that could not be asked. */
  readonly folder?: DataFolder | 'not there'
}

async function findAgent(folder: string): Promise<FoundAgent> {
  try {
    const status = await askAgent(folder, { ask: 'status' })
    if (status !== undefined) {
      return { status, finding: ok('agent', `runs, version ${status.version}, process ${status.pid}`) }
    }
    const taken = existsSync(folder) ? tryDataFolder(folder) : 'not there'
    if (typeof taken !== 'string' && 'heldBy' in taken) {
      const words = `process ${taken.heldBy} holds its data folder and does not answer`
      return { finding: warn('agent', words, 'if it has just started, look again; else restart it') }
    }
    return { folder: taken, finding: warn('agent', 'does not run with this DATA_DIR', start) }
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    return { finding: fail('agent', error.message, 'then look again: its modems are left alone now') }
  }
}

const start = asStarted('agent')

async function examineModems(
  config: AgentConfig,
  { status, folder }: FoundAgent,
): Promise<readonly ModemExamination[]> {
  if (status !== undefined) return (await askAgent(config.DATA_DIR, { ask: 'examine' })) ?? []
  if (folder === undefined) return []
  try {
    return await examineAlone({
      dataDir: config.DATA_DIR,
      wanted: wantedModems(config),
      phoneNumberOf: (simNumber) => config.sims.get(simNumber)?.number,
      limitMs: modemsLimitMs,
    })
  } finally {
    if (folder !== 'not there') folder.release()
  }
}

const modemsLimitMs = 90_000

export function linkFinding(link: LinkStatus): Finding {
  if (link.phase === 'online') return ok('link', `connected as device ${link.deviceId}`)
  return fail(
    'link',
    link.trouble ?? link.phase,
    'see what is said about the relay; a revoked agent has to be paired anew',
  )
}

async function relayFindings(config: AgentConfig): Promise<readonly Finding[]> {
  const file = join(config.DATA_DIR, identityFile)
  const identity = existsSync(file) ? AgentIdentity.load(file) : undefined
  const url = config.RELAY_URL ?? identity?.relay?.url
  if (url === undefined) {
    return [fail('relay', 'this agent belongs to none yet', asTyped('agent', 'pair <url> <code>'))]
  }
  if (url === inThisProcess) return [ok('relay', 'is in one process with this agent')]
  try {
    const paired =
      identity?.relay === undefined && config.ENROLMENT_TOKEN === undefined
        ? [fail('pairing', 'this agent is not paired yet', asTyped('agent', 'pair <url> <code>'))]
        : []
    return [...paired, ...(await checkRelay(checkedRelayUrl(url, config.ALLOW_INSECURE_HTTP)))]
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    return [fail('relay', error.message, 'correct RELAY_URL')]
  }
}
