import type { Log } from '@smsgw/daemon/log/log'
import { VERSION } from '@smsgw/daemon/version'
import type { Clock } from '@smsgw/modem/clock'
import type { WebLogin } from '@smsgw/modem/hilink/web-session'
import type { OpenResult } from '@smsgw/modem/recovery/runner'
import type { AgentConfig } from '../config.ts'
import type { BootMemory } from '../journal/boot-mark.ts'
import type { AgentIdentity } from '../link/agent-identity.ts'
import type { OpenSocket } from '../link/link-socket.ts'
import { wantedModems } from '../modem-addresses.ts'
import type { Wanted } from '../modems/discovery/find-places.ts'
import type { SimSettings } from '../modems/modem-actor-options.ts'
import type { EmulationSettings } from '../modems/modem-fleet.ts'
import { type PowerSetting, readPowerSetting } from '../modems/power/power-setting.ts'
import { tryOpenPort } from '../ports/open-port.ts'
import { webLoginOf } from '../ports/web-login.ts'
import type { SendingLimits } from '../sending/schedule/sending-settings.ts'
import { readSavedPins } from '../setup/saved-pins.ts'
import type { ComponentStatus } from '../status/agent-status.ts'
import { monotonicClock } from '../time/monotonic-clock.ts'

export interface AgentOptions {
  readonly dataDir: string
  readonly version: string
  readonly clock: Clock
  readonly device: DeviceOptions
  readonly relay: RelayLinkOptions
  readonly modems: ModemsOptions
  readonly sending: SendingOptions
  readonly log: AgentLog
  /** Memory that is lost only when the machine is switched off. If left out, the agent finds such memory itself. */
  readonly memory?: BootMemory | undefined
  /** Other components of the process, which `status` and `doctor` show. */
  readonly components?: (() => readonly ComponentStatus[]) | undefined
  /** Called when the agent cannot continue, so that its process must be restarted. */
  readonly onFatal: (error: Error) => void
}

export interface DeviceOptions {
  /** The name of the device until a user renames it. */
  readonly name: string
  readonly identity: AgentIdentity
  /** One-time pairing code or enrolment token; used only while the agent is not paired. */
  readonly credential: string | undefined
}

export interface RelayLinkOptions {
  /** Stored in the identity file when the agent is paired. */
  readonly url: string
  readonly openSocket: OpenSocket
  /** The time between two reports of why messages wait. Default: five seconds. */
  readonly waitingReportMs?: number | undefined
}

export interface ModemsOptions {
  readonly wanted: Wanted
  readonly open: (address: string) => Promise<OpenResult>
  readonly sims: SimSettings
  readonly emulation?: EmulationSettings | undefined
  readonly power?: PowerSetting | undefined
  readonly webLogin?: WebLogin | undefined
  readonly hangUpCalls?: boolean | undefined
}

export interface SendingOptions {
  readonly passphrase: string | undefined
  readonly limits?: Partial<SendingLimits>
}

export interface AgentLog {
  info(message: string): void
  warn(message: string): void
  error(message: string): void
}

/** If only virtual modems are configured, the device may use them even if it had a real modem before. */
export function emulationSettings(config: AgentConfig, wanted: Wanted): EmulationSettings {
  const isEmulated = (address: string) => config.EMULATED_MODEMS || address === 'virtual'
  const isOnlyEmulated = config.EMULATED_MODEMS || (!wanted.auto && wanted.addresses.every(isEmulated))
  return { isEmulated, mayMix: config.MIX_EMULATED_MODEMS || isOnlyEmulated }
}

/** The options from the configuration that `agent run` and the gateway share. */
export function configuredOptions(config: AgentConfig, log: Log) {
  const savedPins = readSavedPins(config.DATA_DIR)
  return {
    version: VERSION,
    clock: monotonicClock,
    modems: {
      wanted: wantedModems(config),
      open: tryOpenPort,
      sims: {
        pinOf: (simNumber: number) => config.sims.get(simNumber)?.pin ?? savedPins[simNumber],
        isPinSet: (simNumber: number) => config.sims.get(simNumber)?.pin !== undefined,
        phoneNumberOf: (simNumber: number) => config.sims.get(simNumber)?.number,
        operatorOf: (simNumber: number) => config.sims.get(simNumber)?.operator,
        sendWhileRoaming: config.SEND_WHILE_ROAMING,
      },
      emulation: emulationSettings(config, wantedModems(config)),
      power: readPowerSetting(config.POWER_CYCLE),
      webLogin: webLoginOf(config),
      hangUpCalls: config.HANG_UP_CALLS,
    },
    sending: {
      passphrase: config.ENCRYPTION_PASSPHRASE,
      limits: {
        doubtWindowMs: config.IN_DOUBT_SECONDS * 1000,
        destinationHoldMs: config.IN_DOUBT_HOLD_SECONDS * 1000,
        lifeMs: config.MESSAGE_LIFE_SECONDS * 1000,
      },
    },
    log: {
      info: (message: string) => log.info(message),
      warn: (message: string) => log.warn(message),
      error: (message: string) => log.error(message),
    },
  } satisfies Partial<AgentOptions>
}
