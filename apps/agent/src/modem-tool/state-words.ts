import type { Signal } from '@smsgw/modem/commands/signal'
import type { ModemState } from '@smsgw/modem/modem-state'

export function stateWords(state: ModemState): string {
  switch (state.name) {
    case 'absent':
      return `absent (${state.why})`
    case 'blocked':
      return `blocked: ${state.failure.words} ${state.failure.advice}`
    case 'degraded':
      return `degraded (${state.reasons.join(', ')})`
    default:
      return state.name
  }
}

export function signalWords({ dBm, bars }: Signal): string | undefined {
  return dBm === undefined ? undefined : `${dBm} dBm, ${bars ?? '?'} of 4 bars`
}
