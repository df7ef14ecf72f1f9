import { resolve } from 'node:path'
import { performance } from 'node:perf_hooks'
import { StartError } from '@smsgw/daemon/start-error'
import type { Clock } from '@smsgw/virtual-modem/clock'
import type { LedgerEntry } from '@smsgw/virtual-modem/network/ledger'
import { Network, type NetworkEvent } from '@smsgw/virtual-modem/network/network'
import { personalities } from '@smsgw/virtual-modem/personalities/catalogue'
import { seededRandom } from '@smsgw/virtual-modem/random'
import { VirtualModem } from '@smsgw/virtual-modem/virtual-modem'
import { ControlServer } from './control/control-server.ts'
import type { Controlled } from './control/routes.ts'
import type { HostPort, ReceiveBytes } from './host/host-port.ts'
import { loadPosix } from './host/posix.ts'
import { PtyHost } from './host/pty-host.ts'
import { StableLink } from './host/stable-link.ts'
import { TcpHost } from './host/tcp-host.ts'
import { WebHost } from './host/web-host.ts'
import { coverageChange, menuOf } from './instructions/network.ts'
import { LedgerFile } from './ledger-file.ts'
import type { Options } from './options/config.ts'
import { newSim, type PlannedModem, planModems } from './options/planned-modem.ts'
import { NetworkEvents } from './output/network-events.ts'
import { TrafficLog } from './output/traffic.ts'
import { present } from './present.ts'
import { type RunningSteps, readScenario, runSteps, type Scenario } from './scenario/scenario.ts'
import { type ServedModem, World } from './world.ts'

export interface RunningEmulator {
  readonly world: World
  readonly traffic: TrafficLog
  readonly events: NetworkEvents
  readonly ledger: LedgerFile | undefined
  readonly control: ControlServer | undefined
  readonly seed: number
  close(): Promise<void>
}

/** Opens all files, ports and links before the first modem is switched on; closes them again on a failure. */
export async function startEmulator(
  options: Options,
  seed: number,
  onFatal: (error: Error) => void,
): Promise<RunningEmulator> {
  const closers: (() => Promise<void> | void)[] = []
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer()
  }
  try {
    const scenario = options.scenario === undefined ? undefined : readScenario(options.scenario)
    const planned = planModems(options, scenario)
    const traffic = new TrafficLog()
    const events = new NetworkEvents()
    const ledger = options.ledger === 'none' ? undefined : new LedgerFile(resolve(options.ledger))
    closers.push(() => ledger?.close())

    const network = startNetwork({ options, scenario, seed, ledger, onEvent: (event) => events.record(event), onFatal })
    const modems: ServedModem[] = []
    for (const [index, plan] of planned.entries()) {
      modems.push(await serveModem({ plan, options, network, traffic, seed: seed + index + 1, onFatal, closers }))
    }
    const world = new World(network, modems)
    for (const { virtual } of modems) virtual.powerOn({ warm: options.start === 'warm' })
    applyToNetwork(world, scenario)

    const control = await startControl(options, { world, traffic, events, ledger })
    if (control) closers.push(() => control.close())
    const steps = scenario === undefined ? undefined : startSteps(scenario, world, events)
    closers.push(() => steps?.stop())
    return { world, traffic, events, ledger, control, seed, close }
  } catch (error) {
    await close()
    throw error
  }
}

interface NetworkParts {
  readonly options: Options
  readonly scenario: Scenario | undefined
  readonly seed: number
  readonly ledger: LedgerFile | undefined
  readonly onEvent: (event: NetworkEvent) => void
  readonly onFatal: (error: Error) => void
}

function startNetwork({ options, scenario, seed, ledger, onEvent, onFatal }: NetworkParts): Network {
  const { latencyMs, serviceCentre, zoneQuarters, operator, coverage, signalWanderDb } = scenario?.network ?? {}
  const onAccepted = (entry: LedgerEntry) => {
    try {
      ledger?.append(entry)
    } catch (error) {
      // Stops the emulator, because it must not accept messages without a complete ledger.
      onFatal(new StartError(`ledger: cannot write ${ledger?.path}: ${(error as Error).message}`))
      throw error
    }
  }
  return new Network({
    clock: systemClock,
    random: seededRandom(seed),
    ...present({ serviceCentre, zoneQuarters, operator, signalWanderDb, latencyMs: options.latency ?? latencyMs }),
    ...(coverage && { coverage: coverageChange(coverage) }),
    onAccepted,
    onEvent,
  })
}

interface ModemParts {
  readonly plan: PlannedModem
  readonly options: Options
  readonly network: Network
  readonly traffic: TrafficLog
  readonly seed: number
  readonly onFatal: (error: Error) => void
  readonly closers: (() => Promise<void> | void)[]
}

async function serveModem({
  plan,
  options,
  network,
  traffic,
  seed,
  onFatal,
  closers,
}: ModemParts): Promise<ServedModem> {
  const personality = personalities[plan.personality]
  if (personality === undefined) throw new StartError(`personality: ${plan.personality} is not a known modem type`)
  const first: HostPort[] = []
  const second: HostPort[] = []
  const virtual = new VirtualModem({
    personality,
    sim: plan.sim && newSim(plan.sim),
    network,
    clock: systemClock,
    random: seededRandom(seed),
    imei: plan.imei,
    faults: plan.faults,
    chunking: options.chunking,
    bootTimeFactor: options['boot-time'],
    terminals: plan.second === undefined ? 1 : 2,
    onBytes(bytes, terminal) {
      traffic.record(plan.name, 'out', bytes, terminal === 0 ? undefined : 'second')
      for (const port of terminal === 0 ? first : second) port.send(bytes)
    },
    onPort(event, detail) {
      for (const port of [...first, ...second]) event === 'lost' ? port.takeAway() : port.bringBack(detail)
    },
  })
  closers.push(async () => {
    virtual.powerOff()
    for (const port of [...first, ...second]) await port.close()
  })
  if (personality.host === 'web') {
    if (plan.tcp === undefined || plan.pty !== undefined || plan.second !== undefined) {
      throw new StartError(
        `tcp: ${plan.name} has only a web interface; set tcp to an address such as 127.0.0.1:8080, and remove pty and the second port`,
      )
    }
    first.push(await WebHost.listen(plan.tcp, (request) => virtual.handleWebRequest(request), 'tcp'))
    return { name: plan.name, virtual, ports: first }
  }
  const serve = async ({ tcp, pty }: Pick<PlannedModem, 'tcp' | 'pty'>, ports: HostPort[], receive: ReceiveBytes) => {
    if (tcp !== undefined) ports.push(await TcpHost.listen(tcp, receive, 'tcp'))
    if (pty === undefined) return
    const posix = await loadPosix()
    ports.push(new PtyHost({ link: StableLink.claim(resolve(pty), posix), posix, receive, onError: onFatal }))
  }
  await serve(plan, first, (bytes) => {
    traffic.record(plan.name, 'in', bytes)
    virtual.receive(bytes)
  })
  if (plan.second !== undefined) {
    await serve(plan.second, second, (bytes) => {
      traffic.record(plan.name, 'in', bytes, 'second')
      virtual.receive(bytes, 1)
    })
  }
  return { name: plan.name, virtual, ports: [...first, ...second] }
}

function applyToNetwork({ network }: World, scenario: Scenario | undefined): void {
  for (const { prefix, policy } of scenario?.network.rules ?? []) network.setDeliveryPolicy(prefix, policy)
  for (const [code, menu] of Object.entries(scenario?.network.ussd ?? {})) network.setUssdMenu(code, menuOf(menu))
}

async function startControl({ control }: Options, controlled: Controlled): Promise<ControlServer | undefined> {
  return control === 'none' ? undefined : ControlServer.listen(control, controlled)
}

function startSteps(scenario: Scenario, world: World, events: NetworkEvents): RunningSteps {
  return runSteps(scenario.steps, world, systemClock, (step, error) =>
    events.record({ kind: 'step', step: step.do, ...(error && { problem: error.message }) }),
  )
}

/** The real clock. A delay of 0 uses setImmediate, because setTimeout takes at least a millisecond. */
const systemClock: Clock = {
  nowMs: () => performance.now(),
  epochMs: () => Date.now(),
  after(delayMs, run) {
    if (delayMs <= 0) {
      const immediate = setImmediate(run)
      return { cancel: () => clearImmediate(immediate) }
    }
    const timer = setTimeout(run, Math.min(delayMs, LONGEST_TIMEOUT_MS))
    return { cancel: () => clearTimeout(timer) }
  },
}

/** 24 days, because setTimeout fires at once with a longer delay. */
const LONGEST_TIMEOUT_MS = 0x7fff_ffff
