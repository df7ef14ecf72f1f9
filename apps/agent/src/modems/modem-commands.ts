import type { Command } from '@smsgw/contract/link/command'
import type { AgentEvent } from '@smsgw/contract/link/event'
import type { SavedPin } from '../setup/saved-pins.ts'
import type { ModemActor } from './modem-actor.ts'
import { modemProblem, simStateOf, stateText } from './modem-health.ts'

export type ModemCommand = Extract<Command, { kind: 'enter-pin' | 'restart-modem' }>
export type ModemReply = Omit<Extract<AgentEvent, { kind: 'modem-answered' }>, 'kind' | 'cmdId' | 'at'>

/** Executes a command for the modem of one SIM number. */
export async function runModemCommand(
  actor: ModemActor | undefined,
  command: ModemCommand,
  savePin: (entered: { readonly simNumber: number; readonly pin: string }) => SavedPin,
): Promise<ModemReply> {
  if (actor === undefined || actor.health.state.name === 'absent')
    return refused(`the modem of SIM ${command.simNumber} is not connected`)
  if (command.kind === 'enter-pin') {
    const reply = await enterPin(actor, command.pin)
    if (reply.outcome !== 'done' || !command.save) return reply
    return { ...reply, ...savePin(command) }
  }
  actor.restart()
  return { outcome: 'done' }
}

/**
 * Enters a PIN. The driver enters a PIN only if the SIM reports more than one attempt, and never repeats a PIN that
 * this SIM has refused.
 */
async function enterPin(actor: ModemActor, pin: string): Promise<ModemReply> {
  const { state } = actor.health
  if (simStateOf({ state, registration: undefined, isHeldWhileRoaming: false }) !== 'locked')
    return refused(`the SIM does not wait for a PIN (${stateText(state)})`)
  const outcome = await actor.useSimPin(pin)
  if (outcome?.kind === 'started') return { outcome: 'done' }
  if (outcome?.kind !== 'failed') return refused('the modem restarted during setup: check its state, then try again')
  const { words, advice, triesLeft } = outcome.failure
  return {
    ...refused(`${words} ${advice}`),
    code: modemProblem(outcome.failure.reason),
    ...(triesLeft !== undefined && { triesLeft }),
  }
}

function refused(reason: string): ModemReply {
  return { outcome: 'refused', reason: reason.slice(0, 500) }
}
