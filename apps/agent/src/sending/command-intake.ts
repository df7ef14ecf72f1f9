import type { SendCommand } from '@smsgw/contract/link/command'
import { crashPoint } from '@smsgw/daemon/crash-point'
import { type Journal, sharedCommitWaitMs } from '../journal/journal.ts'
import { Turns } from '../journal/turns.ts'
import { cancelledEvent, cancelRefusedEvent, processedEvent } from './message/message-events.ts'
import type { Moment, SendingInput, SendingState } from './sending-state.ts'

export interface CommandIntakeOptions {
  readonly journal: Journal
  readonly state: () => SendingState
  readonly moment: () => Moment
  /** Resolves when the writes that the input caused are on disk. */
  readonly step: (input: SendingInput) => Promise<void>
  readonly onProblem: (error: unknown) => void
}

/**
 * Writes the commands of the relay to the journal, and passes new commands to the sending machine.
 *
 * The journal decides which commands are new: repeated commands and commands with a tombstone are not new. But ids
 * begin with the time, so a command whose id is higher than every id in the journal is certainly new. If no message is
 * waiting, such a command is passed on while it is being written. Then the modem already prepares its prompt, and
 * command and COMMIT reach the disk together. The journal refuses a COMMIT without its command, so a command that could
 * not be written is not sent.
 */
export class CommandIntake {
  readonly #options: CommandIntakeOptions
  readonly #turns = new Turns()
  /** The highest id in the journal. Undefined until the id is known. */
  #highestId: Buffer | undefined

  constructor(options: CommandIntakeOptions) {
    this.#options = options
  }

  async restore(): Promise<void> {
    this.#highestId = Buffer.from((await this.#options.journal.read('highest-command-id', {})) ?? '')
  }

  /** Resolves when the commands are on disk. A command that is already in the journal is not changed. */
  accept(commands: readonly SendCommand[]): Promise<void> {
    crashPoint('command-arrived')
    const unique = [...new Map(commands.map((command) => [command.cmdId, command])).values()]
    return this.#turns.take(
      unique.map(({ cmdId }) => cmdId),
      () => this.#accept(unique),
    )
  }

  /** Cancels a message if no part of it was passed to a modem yet. For an unknown command, writes a tombstone. */
  cancel(cmdId: string): Promise<void> {
    crashPoint('cancel-arrived')
    return this.#turns.take([cmdId], () => this.#cancel(cmdId))
  }

  async #accept(commands: readonly SendCommand[]): Promise<void> {
    const { journal, state, moment: now } = this.#options
    const moment = now()
    const unknown = commands.filter(({ cmdId }) => !state().open.has(cmdId))
    const isBusy = state().schedule.queue.length > 0
    const isEarly = !isBusy && this.#areCertainlyNew(unknown)
    this.#addIds(unknown)
    const writing = journal.write(
      [
        ...unknown.map((command) => ({ kind: 'command-received' as const, command, at: moment.stamp })),
        // The outcome of a repeated command is reported again, because the relay may have been restored from a backup.
        ...commands.map(({ cmdId }) => processedEvent(cmdId, moment)),
      ],
      // If other messages are waiting, a result will be written soon. Then the new messages are written in the same
      // commit as this result.
      { mayWaitMs: isBusy ? sharedCommitWaitMs : isEarly ? commitWaitMs : 0 },
    )
    if (isEarly) this.#pass(unknown, moment)
    const written = await writing.catch((error: unknown) => {
      if (isEarly) this.#begin({ kind: 'not-received', cmdIds: unknown.map(({ cmdId }) => cmdId) })
      throw error
    })
    crashPoint('command-journaled')
    if (isEarly) return
    const isFresh = new Set(written.fresh)
    this.#pass(
      unknown.filter(({ cmdId }) => isFresh.has(cmdId)),
      moment,
    )
  }

  async #cancel(cmdId: string): Promise<void> {
    const { journal, state, moment: now, step } = this.#options
    if (state().open.has(cmdId)) return step({ kind: 'cancel', cmdId })
    const record = await journal.read('command', { cmdId })
    const moment = now()
    const isOver = record !== undefined && record.outcome !== 'cancelled'
    this.#addIds([{ cmdId }])
    await journal.write(
      isOver
        ? [cancelRefusedEvent(cmdId, moment)]
        : [{ kind: 'tombstone', cmdId, at: moment.stamp }, cancelledEvent(cmdId, {}, moment)],
    )
  }

  #pass(commands: readonly SendCommand[], { stamp }: Moment): void {
    this.#begin({ kind: 'accepted', commands, receivedMs: stamp.wallMs })
  }

  #begin(input: SendingInput): void {
    this.#options.step(input).catch(this.#options.onProblem)
  }

  #areCertainlyNew(commands: readonly { readonly cmdId: string }[]): boolean {
    const highest = this.#highestId
    if (highest === undefined) return false
    return commands.length > 0 && commands.every(({ cmdId }) => Buffer.from(cmdId).compare(highest) > 0)
  }

  /** Compares octets, as the journal does. */
  #addIds(commands: readonly { readonly cmdId: string }[]): void {
    if (this.#highestId === undefined) return
    for (const id of commands.map(({ cmdId }) => Buffer.from(cmdId)))
      if (id.compare(this.#highestId) > 0) this.#highestId = id
  }
}

/** How long the write of an early command may wait for the COMMIT of its message. A modem is asked within this time. */
const commitWaitMs = 2
