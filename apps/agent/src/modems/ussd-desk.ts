import type { AgentEvent } from '@smsgw/contract/link/event'
import type { Clock, Timer } from '@smsgw/modem/clock'
import type { UssdAnswer } from '@smsgw/modem/commands/ussd'
import type { Modem } from '@smsgw/modem/modem'
import type { Session } from '@smsgw/modem/startup'
import type { UssdOutcome } from '@smsgw/modem/ussd-session'

export interface UssdRequest {
  /** A code, or with `sessionId` the reply to the network's question. */
  readonly code: string
  readonly simNumber?: number | undefined
  readonly sessionId?: string | undefined
}

export type UssdReply = Omit<Extract<AgentEvent, { kind: 'ussd-answered' }>, 'kind' | 'cmdId' | 'at'>

/**
 * Conversations with the network, one at a time on each SIM.
 *
 * free → asking (the answer is waited for) → free, or open: the network has asked something, and who has the session id
 * may reply → asking … An open one that nobody replies to is ended after a while, and the SIM is free again.
 */
export class UssdDesk {
  readonly #options: UssdDeskOptions
  readonly #sims = new Map<number, Conversation>()

  constructor(options: UssdDeskOptions) {
    this.#options = options
  }

  async ask({ code, simNumber, sessionId }: UssdRequest): Promise<UssdReply> {
    const open = sessionId === undefined ? undefined : this.#simOf(sessionId)
    if (sessionId !== undefined && open === undefined) {
      return { outcome: 'refused', reason: 'this session is over: begin again with the code' }
    }
    const sim = open ?? simNumber ?? this.#options.simNumbers()[0]
    if (sim === undefined) return { outcome: 'no-sim', reason: 'no SIM is ready' }
    const modem = this.#options.modemOf(sim)
    const session = modem?.session
    if (session === undefined || modem === undefined) return { outcome: 'no-sim', reason: `SIM ${sim} is not ready` }
    if (open === undefined && this.#sims.get(sim)?.session === session) {
      return { outcome: 'busy', reason: `SIM ${sim} is in another conversation with the network: try again in a while` }
    }
    this.#occupy(sim, { kind: 'asking', session })
    const outcome = await modem.ussd(code)
    // Set up anew meanwhile, somebody else may have begun.
    if (this.#sims.get(sim)?.session !== session) return replyOf({ kind: 'not-ready' })
    return this.#answered(sim, modem, session, outcome)
  }

  /** What the network says unasked for, or too late: nobody waits for it, so a question of its own is ended. */
  heard(simNumber: number, { status }: UssdAnswer): void {
    if (status === 'asks' && !this.#sims.has(simNumber)) void this.#options.modemOf(simNumber)?.cancelUssd()
  }

  stop(): void {
    for (const simNumber of this.#sims.keys()) this.#free(simNumber)
  }

  #answered(simNumber: number, modem: Modem, session: Session, outcome: UssdOutcome): UssdReply {
    this.#free(simNumber)
    if (outcome.kind === 'answer' && outcome.status === 'asks') {
      const id = this.#options.newId()
      const timer = this.#options.clock.after(replyLimitMs, () => {
        this.#free(simNumber)
        void modem.cancelUssd()
      })
      this.#occupy(simNumber, { kind: 'open', id, session, timer })
      return { outcome: 'answered', text: shortened(outcome.text), more: true, sessionId: id }
    }
    // The network may still think that it is in one.
    if (outcome.kind === 'no-answer') void modem.cancelUssd()
    return replyOf(outcome)
  }

  #simOf(sessionId: string): number | undefined {
    for (const [simNumber, conversation] of this.#sims) {
      if (conversation.kind !== 'open' || conversation.id !== sessionId) continue
      // A modem that was set up anew, or is another one, knows nothing of it.
      if (this.#options.modemOf(simNumber)?.session === conversation.session) return simNumber
    }
    return undefined
  }

  #occupy(simNumber: number, conversation: Conversation): void {
    this.#free(simNumber)
    this.#sims.set(simNumber, conversation)
  }

  #free(simNumber: number): void {
    const conversation = this.#sims.get(simNumber)
    if (conversation?.kind === 'open') conversation.timer.cancel()
    this.#sims.delete(simNumber)
  }
}

export interface UssdDeskOptions {
  readonly clock: Clock
  readonly newId: () => string
  readonly modemOf: (simNumber: number) => Modem | undefined
  /** Those that are set up, the lowest first. */
  readonly simNumbers: () => readonly number[]
}

type Conversation =
  | { readonly kind: 'asking'; readonly session: Session }
  | { readonly kind: 'open'; readonly id: string; readonly session: Session; readonly timer: Timer }

function replyOf(outcome: UssdOutcome): UssdReply {
  switch (outcome.kind) {
    case 'answer':
      return replyOfStatus(outcome)
    case 'refused':
      return { outcome: 'refused', reason: `the modem or the network refused it (${outcome.error.words})` }
    case 'no-answer':
      return { outcome: 'no-answer', reason: 'the network did not answer' }
    case 'text-not-writable':
      return { outcome: 'refused', reason: 'this modem has no way to send these characters' }
    case 'not-ready':
      return { outcome: 'no-sim', reason: 'the modem was set up anew meanwhile: try again' }
  }
}

function replyOfStatus({ status, text }: UssdAnswer): UssdReply {
  switch (status) {
    case 'answered':
    case 'asks':
      return { outcome: 'answered', text: shortened(text), more: false }
    case 'ended-by-network':
      if (text !== undefined) return { outcome: 'answered', text: shortened(text), more: false }
      return { outcome: 'refused', reason: 'the network ended the conversation' }
    case 'other-client-answered':
      return { outcome: 'refused', reason: 'another program on the modem has taken the answer' }
    case 'not-supported':
      return { outcome: 'refused', reason: 'the network does not know this' }
    case 'network-timeout':
      return { outcome: 'no-answer', reason: 'the network did not answer in time' }
  }
}

const shortened = (text: string | undefined): string => (text ?? '').slice(0, 1000)

/** Networks give up after two or three minutes themselves. */
const replyLimitMs = 180_000
