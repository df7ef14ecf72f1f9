import type { AgentConfig } from '../config.ts'
import { applyFixes, type FixingHost } from '../doctor/apply-fixes.ts'
import { checkModem } from '../doctor/checks/check-modem.ts'
import { checkPorts } from '../doctor/checks/check-ports.ts'
import { findAgent } from '../doctor/examine.ts'
import type { ModemExamination } from '../doctor/examine-modem.ts'
import { type Finding, findingLines } from '../doctor/finding.ts'
import { wantedModems } from '../modem-addresses.ts'
import { readSavedPins } from './saved-pins.ts'
import { type SetupModems, useModemsAlone, useRunningAgent } from './setup-modems.ts'
import type { SetupOptions } from './setup-options.ts'
import { testModem } from './test-modem.ts'

/** The dialogue with the person who sets up the modem; `ask` and `askHidden` are undefined without a terminal. */
export interface SetupHost {
  print(line: string): void
  readonly ask: ((question: string) => Promise<string>) | undefined
  readonly askHidden: ((question: string) => Promise<string>) | undefined
  readonly fixing: FixingHost
}

/** The result of a setup: a working modem, or the next thing that the user must do. */
export type SetupResult =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: string; readonly advice: string }

/**
 * Sets up a modem step by step: finds the modem, fixes permissions and conflicts with the user's consent, unlocks the
 * SIM, waits for the network, and sends a test message. Stops at the first problem that needs the user.
 */
export async function setUpAgent(
  config: AgentConfig,
  options: SetupOptions,
  host: SetupHost,
  testThrough: SetupModems['testThrough'],
): Promise<SetupResult> {
  const agent = await findAgent(config.DATA_DIR)
  const { status, folder } = agent
  host.print(status === undefined ? 'looking for a modem …' : 'looking for the modem of the running gateway or agent …')
  if (status === undefined && folder === undefined) return problemResult(agent.finding)
  const ports = await checkedPorts(config, status, host)
  const modems =
    folder === undefined ? useRunningAgent(config.DATA_DIR, testThrough) : await useModemsAlone(config, folder)
  try {
    return await setUpModem({ config, options, host, modems, ports })
  } finally {
    await modems.close()
  }
}

interface SetupRun {
  readonly config: AgentConfig
  readonly options: SetupOptions
  readonly host: SetupHost
  readonly modems: SetupModems
  readonly ports: readonly Finding[]
}

/** Checks the ports, offers fixes for the problems found, and checks the ports again after a fix. */
async function checkedPorts(
  config: AgentConfig,
  status: Parameters<typeof checkPorts>[1],
  host: SetupHost,
): Promise<readonly Finding[]> {
  const check = async () => {
    const found = await checkPorts(wantedModems(config), status)
    for (const line of found.flatMap(findingLines)) host.print(line)
    return found
  }
  const found = await check()
  if (!found.some(({ fix }) => fix !== undefined)) return found
  return (await applyFixes(found, host.fixing)) ? check() : found
}

async function setUpModem(run: SetupRun): Promise<SetupResult> {
  const { options, host, modems, ports } = run
  const found = await modems.examine(options.networkMs)
  const modem = await chooseModem(found, options, host)
  const portProblem = ports.find(({ level }) => level === 'fail')
  if (
    modem === undefined ||
    (modem.status.model === undefined && modem.blocked === undefined && portProblem !== undefined)
  ) {
    return problemResult(portProblem ?? noSuchModem)
  }
  if (modem.status.port === 'virtual') return problemResult(onlyVirtual)
  const unlocked = await unlockedModem(modem, run)
  const findings = checkModem(unlocked)
  for (const line of findings.flatMap(findingLines)) host.print(line)
  const problem = findings.find(({ level }) => level === 'fail')
  if (problem !== undefined) return problemResult(problem)
  return testModem(unlocked.status, options, host, modems)
}

async function chooseModem(
  found: readonly ModemExamination[],
  { sim }: SetupOptions,
  { ask, print }: SetupHost,
): Promise<ModemExamination | undefined> {
  const bySim = (number: number) => found.find(({ status }) => status.simNumber === number)
  if (sim !== undefined) return bySim(sim)
  if (found.length <= 1) return found[0]
  for (const { status, blocked } of found) {
    const name = status.model ?? blocked?.words ?? status.words ?? 'modem'
    print(`  SIM ${status.simNumber ?? '?'}: ${name} at ${status.port}`)
  }
  for (;;) {
    const answer = ask === undefined ? '' : (await ask('Which SIM number do you want to set up? ')).trim()
    if (answer === '') return found.find(({ isReady }) => isReady) ?? found[0]
    const chosen = bySim(Number(answer))
    if (chosen !== undefined) return chosen
  }
}

/** Enters the PIN until the SIM accepts it or has another problem. Returns the modem in its new state. */
async function unlockedModem(first: ModemExamination, run: SetupRun): Promise<ModemExamination> {
  const { config, options, host, modems } = run
  const { simNumber = 1, port = '' } = first.status
  let modem = first
  let configured = config.sims.get(simNumber)?.pin ?? readSavedPins(config.DATA_DIR)[simNumber]
  while (modem.blocked !== undefined && acceptsPin.has(modem.blocked.reason)) {
    const left = modem.pinTries?.pin ?? modem.blocked.triesLeft
    if (left !== undefined && left <= 1) break
    host.print(`The SIM is locked with a PIN. ${left ?? 'An unknown number of'} attempts are left.`)
    const pin = configured ?? (await askPin(host))
    if (pin === undefined) break
    const isSaved = await modems.unlock(port, pin)
    const found = await modems.examine(options.networkMs)
    modem = found.find(({ status }) => status.port === port) ?? modem
    if (modem.blocked === undefined) {
      host.print('SIM unlocked')
      if (isSaved) host.print('The PIN is saved in the data folder and is entered at each start.')
      else if (configured === undefined)
        host.print(`Set SIM_${simNumber}_PIN, so that the PIN is entered at each start.`)
    } else host.print(modem.blocked.words)
    // Does not enter a wrong PIN from the settings again.
    configured = undefined
  }
  return modem
}

const acceptsPin: ReadonlySet<string> = new Set(['pin-required', 'pin-malformed', 'pin-wrong'])

/** Asks for the PIN. After an empty answer, the SIM stays locked. */
async function askPin({ askHidden, print }: SetupHost): Promise<string | undefined> {
  while (askHidden !== undefined) {
    const pin = (await askHidden('PIN of the SIM (not shown; leave empty to stop): ')).trim()
    if (pin === '') return undefined
    if (/^\d{4,8}$/.test(pin)) return pin
    print('A PIN has four to eight digits. Nothing was entered.')
  }
  return undefined
}

function problemResult({ text, advice = '', subject }: Finding): SetupResult {
  return { ok: false, problem: `${subject}: ${text}`, advice }
}

const noSuchModem: Finding = {
  level: 'fail',
  subject: 'modems',
  text: 'no modem with this SIM number',
  advice: 'leave out --sim to see the connected modems',
}

const onlyVirtual: Finding = {
  level: 'fail',
  subject: 'modems',
  text: 'the gateway uses its virtual modem, because it found no real one when it started',
  advice: 'plug in a modem and restart the gateway, then run setup again',
}
