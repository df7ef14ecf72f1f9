import { commandKey, type SendCommand } from '@smsgw/contract/link/command'
import type { Clock } from '@smsgw/modem/clock'
import { JournalError } from '../journal/journal.ts'
import type { WriteWatch } from '../journal/keep-writing.ts'
import type { Sender } from '../sending/sender.ts'

export interface CommandWriterOptions {
  readonly sender: Pick<Sender, 'accept' | 'cancel'>
  readonly clock: Clock
  readonly journalId: () => string
  /** Called when a write fails, and when all failed writes have succeeded. */
  readonly watch: WriteWatch
  /** Called with the error of a command that is not retried. */
  readonly onError: (error: unknown) => void
}

/**
 * Writes the messages and cancels of the relay to the journal, and retries while the disk is full.
 *
 * Messages are written in the order in which they arrive, with one write at a time: otherwise a small write could
 * succeed after a larger write failed, and a message would be sent before earlier messages to the same number. The
 * messages that arrive during a write share the next write.
 */
export class CommandWriter {
  readonly #options: CommandWriterOptions
  /** The messages that are not yet written, by the id of the command. */
  readonly #pending = new Map<string, PendingSend>()
  #queue: PendingSend[] = []
  #isWriting = false
  #failing = 0

  constructor(options: CommandWriterOptions) {
    this.#options = options
  }

  /** Resolves with the keys of the messages that are on disk. Leaves out a message that the journal refuses. */
  async accept(journalId: string, sends: readonly SendCommand[]): Promise<readonly string[]> {
    const pending = sends.map((send) => this.#enqueue(journalId, send))
    void this.#writeQueue()
    const areWritten = await Promise.all(pending.map(({ isWritten }) => isWritten))
    return sends.filter((_, at) => areWritten[at]).map(commandKey)
  }

  /** Cancels a message. If the message is not yet written, waits for it. */
  async cancel(journalId: string, cmdId: string): Promise<readonly string[]> {
    await this.#pending.get(cmdId)?.isWritten
    try {
      await this.#untilWritten(async () => {
        if (journalId === this.#options.journalId()) await this.#options.sender.cancel(cmdId)
      })
    } catch (error) {
      this.#options.onError(error)
      return []
    }
    return journalId === this.#options.journalId() ? [commandKey({ kind: 'cancel', cmdId })] : []
  }

  /** While the disk is full, the relay sends a message again after each reconnect. It is still written once. */
  #enqueue(journalId: string, send: SendCommand): PendingSend {
    const earlier = this.#pending.get(send.cmdId)
    if (earlier?.journalId === journalId) return earlier
    let settle: (isWritten: boolean) => void = () => undefined
    const isWritten = new Promise<boolean>((resolve) => {
      settle = resolve
    })
    const pending: PendingSend = { journalId, send, isWritten, settle }
    this.#pending.set(send.cmdId, pending)
    this.#queue.push(pending)
    return pending
  }

  async #writeQueue(): Promise<void> {
    if (this.#isWriting) return
    this.#isWriting = true
    while (this.#queue.length > 0) await this.#write(this.#queue.splice(0))
    this.#isWriting = false
  }

  /** Writes the messages together. If the journal refuses this write, each message is written separately. */
  async #write(pending: readonly PendingSend[]): Promise<void> {
    let current = pending
    try {
      await this.#untilWritten(async () => {
        // A message for a journal that was replaced must not be written: its result counts as unknown.
        current = pending.filter(({ journalId }) => journalId === this.#options.journalId())
        if (current.length > 0) await this.#options.sender.accept(current.map(({ send }) => send))
      })
    } catch (error) {
      const isRefused = error instanceof JournalError && error.reason === 'refused'
      if (isRefused && pending.length > 1) {
        for (const each of pending) await this.#write([each])
        return
      }
      current = []
      this.#options.onError(error)
    }
    for (const each of pending) {
      if (this.#pending.get(each.send.cmdId) === each) this.#pending.delete(each.send.cmdId)
      each.settle(current.includes(each))
    }
  }

  async #untilWritten(write: () => Promise<void>): Promise<void> {
    const { clock, watch } = this.#options
    let hasFailed = false
    try {
      for (;;) {
        try {
          return await write()
        } catch (error) {
          if (!(error instanceof JournalError) || error.reason === 'refused' || error.reason === 'closed') throw error
          watch.onProblem(error)
          if (!hasFailed) this.#failing += 1
          hasFailed = true
          await new Promise<void>((resolve) => clock.after(retryMs, resolve))
        }
      }
    } finally {
      if (hasFailed) this.#failing -= 1
      if (hasFailed && this.#failing === 0) watch.onRecovered?.()
    }
  }
}

interface PendingSend {
  readonly journalId: string
  readonly send: SendCommand
  /** Resolves with false if the message will not be written. */
  readonly isWritten: Promise<boolean>
  readonly settle: (isWritten: boolean) => void
}

const retryMs = 1000
