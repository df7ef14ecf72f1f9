import type { Clock } from '@smsgw/modem/clock'
import type { ModemListener } from '../modems/modem-actor.ts'
import { stateText } from '../modems/modem-health.ts'
import type { DeviceReporter } from '../status/device-reporter.ts'
import type { AgentLog } from './agent-options.ts'
import type { Messaging } from './messaging.ts'

/** Forwards events of the modems to the sender, the receiver, the clock, the log and the reporter. */
export function modemListener(
  { sender, receiver, time }: Messaging,
  parts: {
    readonly log: AgentLog
    readonly clock: Clock
    readonly onError: (error: unknown) => void
    readonly reporter: () => DeviceReporter
  },
): ModemListener {
  const { log, onError } = parts
  const states = new ModemStateLog((line) => log.info(line), parts.clock)
  return {
    onReadable: (sim) => receiver.simReady(sim),
    onUnreadable(sim) {
      receiver.simGone(sim)
      sender.simGone(sim)
    },
    onSending: (sim) => {
      sender.simReady(sim).catch(onError)
    },
    onNotSending: (sim) => sender.simLostNetwork(sim),
    onIncoming: (sim, incoming, ageMs) => {
      receiver.take(sim, incoming, ageMs).catch(onError)
    },
    onLateResult: (id, outcome) => {
      sender.lateResult(id, outcome).catch(onError)
    },
    onCall: (sim, call) => parts.reporter().callReceived(sim, call),
    onNetworkTime: ({ epochMs }) => time.heard('network', epochMs),
    onChanged(modem) {
      states.changed(modem.address, stateText(modem.health.state))
      parts.reporter().modemChanged(modem)
    },
    onProblem(modem, priority, message) {
      if (priority === 'WARN') log.warn(`modem ${modem.address}: ${message}`)
      // `modemChanged` has already logged why the modem is blocked.
      if (priority === 'ERROR' && message === stateText(modem.health.state)) return
      parts.reporter().log(priority, 'modem', `${modem.address}: ${message}`)
    },
  }
}

/**
 * Logs each change of a modem's state, but at most ten a minute for each modem, because an unstable modem would fill
 * the disk. The next logged line contains the number of omitted changes.
 */
export class ModemStateLog {
  readonly #write: (line: string) => void
  readonly #clock: Clock
  readonly #modems = new Map<string, LoggedState>()

  constructor(write: (line: string) => void, clock: Clock) {
    this.#write = write
    this.#clock = clock
  }

  changed(address: string, state: string): void {
    const nowMs = this.#clock.nowMs()
    const logged = this.#modems.get(address) ?? { state: '', atMs: [], skipped: 0 }
    this.#modems.set(address, logged)
    if (logged.state === state) return
    logged.state = state
    logged.atMs = logged.atMs.filter((atMs) => nowMs - atMs < minuteMs)
    if (logged.atMs.length >= maxPerMinute) {
      logged.skipped += 1
      return
    }
    logged.atMs.push(nowMs)
    this.#write(`modem ${address}: ${state}${logged.skipped === 0 ? '' : ` (${logged.skipped} changes not logged)`}`)
    logged.skipped = 0
  }
}

interface LoggedState {
  state: string
  atMs: number[]
  skipped: number
}

const minuteMs = 60_000
const maxPerMinute = 10
