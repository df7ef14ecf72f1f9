import type { Clock } from '@smsgw/modem/clock'
import type { AgentLog } from './agent.ts'
import { ModemStateLog } from './modem-state-log.ts'
import type { ModemListener } from './modems/modem-actor.ts'
import { stateWords } from './modems/modem-health.ts'
import type { Receiver } from './receiving/receiver.ts'
import type { Reporter } from './reporter.ts'
import type { Sender } from './sending/sender.ts'
import type { TrustedClock } from './time/trusted-clock.ts'

/** What modems tell, to whom it concerns. */
export function modemListener(parts: {
  readonly sender: Sender
  readonly receiver: Receiver
  readonly time: TrustedClock
  readonly log: AgentLog
  readonly clock: Clock
  readonly onTrouble: (error: unknown) => void
  readonly reporter: () => Reporter
}): ModemListener {
  const { sender, receiver, time, log, onTrouble } = parts
  const states = new ModemStateLog((line) => log.info(line), parts.clock)
  return {
    onReadable: (sim) => receiver.simReady(sim),
    onUnreadable(sim) {
      receiver.simGone(sim)
      sender.simGone(sim)
    },
    onSending: (sim) => {
      sender.simReady(sim).catch(onTrouble)
    },
    onNotSending: (sim) => sender.simUnserved(sim),
    onIncoming: (sim, incoming) => {
      receiver.take(sim, incoming).catch(onTrouble)
    },
    onLateResult: (id, outcome) => {
      sender.lateResult(id, outcome).catch(onTrouble)
    },
    onNetworkTime: ({ epochMs }) => time.heard('network', epochMs),
    onChanged(modem) {
      states.changed(modem.address, stateWords(modem.health.state))
      parts.reporter().modemChanged(modem)
    },
    onTrouble(modem, priority, message) {
      parts.reporter().tell(priority, 'modem', `${modem.address}: ${message}`)
    },
  }
}
