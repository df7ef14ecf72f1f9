import type { Clock } from '@smsgw/modem/clock'
import type { PinTries } from '@smsgw/modem/commands/sim/pin-counter'
import type { StartupFailure } from '@smsgw/modem/setup/startup-failure'
import type { ModemActor } from '../modems/modem-actor.ts'
import { detectedBaudRate } from '../modems/stored-baud-rate.ts'
import { modemStatuses, type ShownModem } from '../status/agent-status.ts'

/**
 * What the doctor needs to know about a modem. Only the process that has the port open can collect this information.
 * Plain JSON without phone numbers.
 */
export interface ModemExamination {
  readonly status: ShownModem
  /** The reason why the agent does not use the modem. */
  readonly blocked: Pick<StartupFailure, 'reason' | 'words' | 'advice' | 'triesLeft'> | undefined
  readonly isReady: boolean
  readonly pinTries: PinTries | undefined
  readonly serviceCentre: 'there' | 'none' | 'unknown'
  readonly ownNumber: 'known' | 'unknown'
  readonly isCardKnown: boolean
  readonly storageFull: boolean
  /** The baud rate that the modem detected; undefined if the modem has a fixed rate. */
  readonly detectedBaudRate?: number | undefined
  readonly advice: readonly string[]
  /** The last bytes sent and received, masked. */
  readonly trace: readonly string[]
}

export async function examineModem(actor: ModemActor, clock: Clock): Promise<ModemExamination> {
  const { modem, health } = actor
  const { session, state } = health
  const [status] = modemStatuses([health])
  const centre = session?.sim.serviceCentre ?? 'unknown'
  return {
    status: status as ShownModem,
    blocked: state.name === 'blocked' ? state.failure : undefined,
    isReady: state.name === 'ready' || state.name === 'degraded',
    pinTries: modem === undefined ? undefined : await within(modem.readPinTries(), clock),
    serviceCentre: typeof centre === 'string' ? centre : 'there',
    ownNumber: actor.simCard?.phoneNumber === undefined ? 'unknown' : 'known',
    isCardKnown: session?.sim.iccid !== undefined,
    storageFull: health.storage.some(({ full }) => full),
    detectedBaudRate: await within(detectedBaudRate(actor), clock),
    advice: session?.profile.advice ?? [],
    trace: actor.trace.entries().map(({ atMs, direction, text }) => {
      return `${(atMs / 1000).toFixed(3)} ${direction === 'sent' ? '→' : '←'} ${text}`
    }),
  }
}

/**
 * Waits for an answer of the modem. Returns undefined if the modem does not answer within the limit, for example
 * because it is sending or hangs.
 */
function within<T>(answer: Promise<T>, clock: Clock): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(answerLimitMs, () => resolve(undefined))
    answer.then(resolve, reject).finally(() => timer.cancel())
  })
}

const answerLimitMs = 5_000
