import type { Command } from '@smsgw/contract/link/command'
import type { AgentEvent } from '@smsgw/contract/link/event'
import type { EventBatch } from '../../ingest/event-recorder.ts'
import type { AgentConnection } from '../claim/agent-connection.ts'

/** The real outcomes of a send, each as the sequence of its events. */
export const fates = {
  delivered: ['processed', 'sent', 'delivered'],
  sent: ['processed', 'sent'],
  refused: ['processed', 'refused'],
  unknown: ['processed', 'submit_unknown'],
  corrected: ['processed', 'submit_unknown', 'sent', 'delivered'],
  bounced: ['processed', 'sent', 'refused'],
} as const
export type Fate = keyof typeof fates

/**
 * A model of an agent, as the relay's store sees it. It has a journal and numbered events, and executes each command
 * once.
 */
export class ModelAgent {
  journalId = 'journal 0'
  events: AgentEvent[] = []
  readonly done = new Map<string, string>()
  readonly #steps = new Map<string, string[]>()

  take(commands: readonly Command[], fate: Fate): void {
    for (const command of commands) {
      const { cmdId } = command
      if (command.kind === 'cancel') this.#cancel(cmdId)
      else if (!this.done.has(cmdId)) this.#begin(cmdId, fate)
    }
  }

  /** Executes the next step of each open send. */
  work(): void {
    for (const [cmdId, steps] of this.#steps) {
      const step = steps.shift()
      if (step === undefined) continue
      this.done.set(cmdId, step)
      this.#tell(cmdId, step)
    }
  }

  /** Replaces the SD card, so that all records of the agent are lost. */
  loseJournal(): void {
    this.journalId = `journal ${Number(this.journalId.slice(8)) + 1}`
    this.events = []
    this.done.clear()
    this.#steps.clear()
  }

  batch(connection: AgentConnection, from: number, count: number): EventBatch {
    const events = this.events.slice(from - 1, from - 1 + count).map((event) => ({ event }))
    return { connection, from, skipped: 0, tag: `tag ${from + events.length - 1}`, events }
  }

  #begin(cmdId: string, fate: Fate): void {
    const [processed, ...rest] = fates[fate]
    this.done.set(cmdId, processed)
    this.#steps.set(cmdId, rest)
    this.#tell(cmdId, processed)
  }

  /** Cancels a send if its first part was not yet submitted. A cancel of an unknown send leaves a tombstone. */
  #cancel(cmdId: string): void {
    const state = this.done.get(cmdId) ?? 'processed'
    if (state === 'processed') {
      this.done.set(cmdId, 'cancelled')
      this.#steps.delete(cmdId)
    }
    this.#tell(cmdId, state === 'processed' || state === 'cancelled' ? 'cancelled' : 'cancel-refused')
  }

  #tell(cmdId: string, step: string): void {
    const about = { cmdId, at: '2026-03-01T12:00:00.000Z' }
    if (step === 'refused' || step === 'submit_unknown') {
      this.events.push({ kind: 'failed', ...about, code: step, reason: step })
    } else if (step === 'sent') this.events.push({ kind: 'sent', ...about, simNumber: 1, parts: 1 })
    else if (step === 'delivered') this.events.push({ kind: 'delivered', ...about, simNumber: 1 })
    else this.events.push({ kind: step as 'processed' | 'cancelled' | 'cancel-refused', ...about })
  }
}
