import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type DataFolder, tryDataFolder } from '@smsgw/daemon/files/data-folder'
import { StartError } from '@smsgw/daemon/start-error'
import { startCommand, userCommand } from '@smsgw/daemon/user-command'
import { type AgentConfig, checkedRelayUrl } from '../config.ts'
import { AgentIdentity, identityFile } from '../link/agent-identity.ts'
import { inThisProcess } from '../link/in-process-socket.ts'
import { wantedModems } from '../modem-addresses.ts'
import { findPlaces } from '../modems/discovery/find-places.ts'
import { readPowerSetting } from '../modems/power/power-setting.ts'
import { storeDetectedBaudRate } from '../modems/stored-baud-rate.ts'
import { webLoginOf } from '../ports/web-login.ts'
import type { AgentStatus, ComponentStatus, LinkStatus } from '../status/agent-status.ts'
import { askAgent } from '../status/ask-agent.ts'
import { checkDataFolder } from './checks/check-data-folder.ts'
import { checkClock, checkPower, checkRuntime } from './checks/check-machine.ts'
import { checkModem } from './checks/check-modem.ts'
import { checkPorts, withoutVirtual } from './checks/check-ports.ts'
import { checkPowerCycle, powerCycleFix } from './checks/check-power-cycle.ts'
import { checkRelay } from './checks/check-relay.ts'
import type { ModemExamination } from './examine-modem.ts'
import { type CodedFinding, type Finding, type Fix, failFinding, okFinding, warnFinding } from './finding.ts'
import { type ExaminationLimits, ModemsAlone } from './modems-alone.ts'

export interface Examination {
  readonly findings: readonly Finding[]
  /** The status of the running agent; undefined if no agent is running. */
  readonly status: AgentStatus | undefined
  readonly modems: readonly ModemExamination[]
}

/**
 * Checks everything that an agent needs, from the machine to the modems and the relay, and passes each finding to
 * `onFinding` at once. If an agent is running, the agent examines its modems. Otherwise, this process examines the
 * modems.
 */
export async function examine(
  config: AgentConfig,
  onFinding: (finding: Finding) => void,
  limits: ExaminationLimits = usualLimits,
): Promise<Examination> {
  const findings: Finding[] = []
  const report = (found: readonly Finding[]) => {
    findings.push(...found)
    found.forEach(onFinding)
  }
  report(await checkRuntime())
  report(checkDataFolder(config.DATA_DIR))
  report(checkPower())
  report(checkClock())
  const agent = await findAgent(config.DATA_DIR)
  report([agent.finding])
  const { status } = agent
  const wanted = wantedModems(config)
  const ports = await checkPorts(wanted, status)
  report(ports)
  const power = readPowerSetting(config.POWER_CYCLE)
  report(await checkPowerCycle(power, wanted.addresses))
  const modems = await examineModems(config, agent, limits)
  const { places } = await findPlaces(withoutVirtual(wanted))
  for (const modem of modems) {
    const fix = await powerCycleFix(modem, power, places, ports)
    const rateFix = baudRateFix(modem, config, limits)
    report(
      checkModem(modem).map((finding) => {
        const own = finding.meaning.code === 'port.autobaud' ? rateFix : finding.level === 'fail' ? fix : undefined
        return own === undefined ? finding : { ...finding, fix: own }
      }),
    )
  }
  report(await relayFindings(config))
  if (status !== undefined) report([linkFinding(status.link), ...(status.components ?? []).map(componentFinding)])
  return { findings, status, modems }
}

export interface FoundAgent {
  readonly finding: Finding
  readonly status?: AgentStatus
  /** The data folder, locked during the examination so that no agent starts. Undefined if an agent may be running. */
  readonly folder?: DataFolder | 'missing'
}

export async function findAgent(folder: string): Promise<FoundAgent> {
  try {
    const status = await askAgent(folder, { ask: 'status' })
    if (status !== undefined) {
      return { status, finding: okFinding('agent', `running, version ${status.version}, process ${status.pid}`) }
    }
    const taken = existsSync(folder) ? tryDataFolder(folder) : 'missing'
    if (typeof taken !== 'string' && 'heldBy' in taken) {
      const text = `process ${taken.heldBy} holds the data folder and does not answer`
      return {
        finding: warnFinding(
          'agent',
          text,
          'if the process has just started, run the doctor again; otherwise restart the process',
        ),
      }
    }
    return { folder: taken, finding: warnFinding('agent', 'not running with this DATA_DIR', `start it: ${start}`) }
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    return {
      finding: failFinding(
        'agent',
        error.message,
        'the modems were not examined; run the doctor again after this problem is solved',
      ),
    }
  }
}

const start = startCommand('agent')

async function examineModems(
  config: AgentConfig,
  { status, folder }: FoundAgent,
  limits: ExaminationLimits,
): Promise<readonly ModemExamination[]> {
  if (status !== undefined) return (await askAgent(config.DATA_DIR, { ask: 'examine' })) ?? []
  if (folder === undefined) return []
  return useModems(config, folder, (modems) => modems.examine(limits))
}

/** Uses the modems in this process, while no agent is running. The lock on `folder` is released afterwards. */
async function useModems<Result>(
  config: AgentConfig,
  folder: DataFolder | 'missing',
  use: (modems: ModemsAlone) => Promise<Result>,
): Promise<Result> {
  try {
    const modems = await ModemsAlone.open({
      dataDir: config.DATA_DIR,
      wanted: withoutVirtual(wantedModems(config)),
      phoneNumberOf: (simNumber) => config.sims.get(simNumber)?.number,
      sendWhileRoaming: config.SEND_WHILE_ROAMING,
      webLogin: webLoginOf(config),
    })
    return await use(modems).finally(() => modems.close())
  } finally {
    if (folder !== 'missing') folder.release()
  }
}

/** Returns the fix for a modem that detects its baud rate. */
function baudRateFix(
  { status: { port = '' }, detectedBaudRate }: ModemExamination,
  config: AgentConfig,
  limits: ExaminationLimits,
): Fix | undefined {
  if (detectedBaudRate === undefined) return undefined
  const run = async () => {
    const isStored = await askAgent(config.DATA_DIR, { ask: 'store-baud-rate', port })
    if (isStored !== undefined) return isStored
    const { folder } = await findAgent(config.DATA_DIR)
    if (folder === undefined) return false
    return useModems(config, folder, async (modems) => {
      await modems.examine(limits)
      return storeDetectedBaudRate(modems.actors, port)
    })
  }
  const line = `AT+IPR=${detectedBaudRate} and AT&W, written to the modem at ${port}`
  return { about: `store the rate of ${port} in the modem`, commands: [{ line, run }] }
}

const usualLimits: ExaminationLimits = { modemsMs: 90_000, absentMs: 5_000 }

export function linkFinding(link: LinkStatus): CodedFinding {
  if (link.phase === 'online') return okFinding('link', `connected as device ${link.deviceId}`, { code: 'link.online' })
  const problem = link.problem ?? link.phase
  return failFinding(
    'link',
    problem,
    'see the finding about the relay; if the device was deleted, pair this agent again',
    {
      code: 'link.failed',
      values: { problem },
    },
  )
}

function componentFinding({ component, part, problem, since }: ComponentStatus): Finding {
  const name = `${component.toLowerCase()} ${part}`
  if (problem === undefined) return okFinding(name, `works since ${since}`)
  return warnFinding(name, `${problem}, since ${since}`, 'check its settings and the server that it connects to')
}

async function relayFindings(config: AgentConfig): Promise<readonly Finding[]> {
  const file = join(config.DATA_DIR, identityFile)
  const identity = existsSync(file) ? AgentIdentity.load(file) : undefined
  const url = config.RELAY_URL ?? identity?.relay?.url
  if (url === undefined) {
    return [failFinding('relay', 'not paired with a relay', `run: ${userCommand('agent', 'pair <url> <code>')}`)]
  }
  if (url === inThisProcess) return [okFinding('relay', 'runs in the same process as this agent')]
  try {
    const paired =
      identity?.relay === undefined && config.ENROLMENT_TOKEN === undefined
        ? [failFinding('pairing', 'not paired', `run: ${userCommand('agent', 'pair <url> <code>')}`)]
        : []
    return [...paired, ...(await checkRelay(checkedRelayUrl(url, config.ALLOW_INSECURE_HTTP)))]
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    return [failFinding('relay', error.message, 'correct RELAY_URL')]
  }
}
