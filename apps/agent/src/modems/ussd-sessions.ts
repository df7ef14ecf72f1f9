import type { AgentEvent } from '@smsgw/contract/link/event'
import type { Clock, Timer } from '@smsgw/modem/clock'
import type { UssdResponse } from '@smsgw/modem/commands/ussd/ussd'
import type { UssdOutcome } from '@smsgw/modem/commands/ussd/ussd-session'
import type { ModemDriver } from '@smsgw/modem/modem-driver'
import type { ModemSession } from '@smsgw/modem/setup/startup'

export interface UssdRequest {
  /** A USSD code, or, with `sessionId`, the reply to the network. */
  readonly code: string
  readonly simNumber?: number | undefined
  readonly sessionId?: string | undefined
}

export type AnsweredUssd = Omit<Extract<AgentEvent, { kind: 'ussd-answered' }>, 'kind' | 'cmdId' | 'at'>

/**
 * USSD sessions with the network, one at a time for each SIM.
 *
 * States of a SIM:
 *
 * - free: no session is open.
 * - asking: the network has to answer. Next: free, or open.
 * - open: the network expects a reply, which needs the session id. Next: asking, or free after a time limit.
 */
export class UssdSessions {
  readonly #options: UssdSessionsOptions
  readonly #sims = new Map<number, Conversation>()

  constructor(options: UssdSessionsOptions) {
    this.#options = options
  }

  async ask({ code, simNumber, sessionId }: UssdRequest): Promise<AnsweredUssd> {
    const open = sessionId === undefined ? undefined : this.#simOf(sessionId)
    if (sessionId !== undefined && open === undefined) {
      return { outcome: 'refused', reason: 'the session has ended: send the code again' }
    }
    const sim = open ?? simNumber ?? this.#options.simNumbers()[0]
    if (sim === undefined) return { outcome: 'no-sim', reason: 'no SIM is ready' }
    const modem = this.#options.modemOf(sim)
    const session = modem?.session
    if (session === undefined || modem === undefined) return { outcome: 'no-sim', reason: `SIM ${sim} is not ready` }
    if (open === undefined && this.#sims.get(sim)?.session === session) {
      return { outcome: 'busy', reason: `SIM ${sim} is in another USSD session: try again later` }
    }
    this.#occupy(sim, { kind: 'asking', session })
    const outcome = await modem.ussd(code)
    // If the modem was set up again in the meantime, another session may have started.
    if (this.#sims.get(sim)?.session !== session) return replyOf({ kind: 'not-ready' })
    return this.#answered(sim, modem, session, outcome)
  }

  /** Cancels a session that the network opened without a request, or with an answer that arrived too late. */
  unsolicited(simNumber: number, { status }: UssdResponse): void {
    if (status === 'asks' && !this.#sims.has(simNumber)) void this.#options.modemOf(simNumber)?.cancelUssd()
  }

  stop(): void {
    for (const simNumber of this.#sims.keys()) this.#free(simNumber)
  }

  #answered(simNumber: number, modem: ModemDriver, session: ModemSession, outcome: UssdOutcome): AnsweredUssd {
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
    // Releases the session in the network too, because it may still be open there.
    if (outcome.kind === 'no-answer') void modem.cancelUssd()
    return replyOf(outcome)
  }

  #simOf(sessionId: string): number | undefined {
    for (const [simNumber, conversation] of this.#sims) {
      if (conversation.kind !== 'open' || conversation.id !== sessionId) continue
      // A session ends when the modem is set up again or replaced.
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

export interface UssdSessionsOptions {
  readonly clock: Clock
  readonly newId: () => string
  readonly modemOf: (simNumber: number) => ModemDriver | undefined
  /** The SIMs of modems that are set up, in ascending order. */
  readonly simNumbers: () => readonly number[]
}

type Conversation =
  | { readonly kind: 'asking'; readonly session: ModemSession }
  | { readonly kind: 'open'; readonly id: string; readonly session: ModemSession; readonly timer: Timer }

function replyOf(outcome: UssdOutcome): AnsweredUssd {
  switch (outcome.kind) {
    case 'answer':
      return replyOfStatus(outcome)
    case 'refused':
      return { outcome: 'refused', reason: `the modem or the network refused the request (${outcome.error.words})` }
    case 'no-answer':
      return { outcome: 'no-answer', reason: 'the network did not answer' }
    case 'text-not-writable':
      return { outcome: 'refused', reason: 'the modem cannot send these characters' }
    case 'not-ready':
      return { outcome: 'no-sim', reason: 'the modem restarted: try again' }
  }
}

function replyOfStatus({ status, text }: UssdResponse): AnsweredUssd {
  switch (status) {
    case 'answered':
    case 'asks':
      return { outcome: 'answered', text: shortened(text), more: false }
    case 'ended-by-network':
      if (text !== undefined) return { outcome: 'answered', text: shortened(text), more: false }
      return { outcome: 'refused', reason: 'the network ended the session' }
    case 'other-client-answered':
      return { outcome: 'refused', reason: 'another client of the modem received the answer' }
    case 'not-supported':
      return { outcome: 'refused', reason: 'the network does not support this code' }
    case 'network-timeout':
      return { outcome: 'no-answer', reason: 'the network did not answer in time' }
  }
}

const shortened = (text: string | undefined): string => (text ?? '').slice(0, 1000)

/** Networks end a session after two or three minutes. */
const replyLimitMs = 180_000
