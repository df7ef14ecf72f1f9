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
 * Writes the commands of the relay to the journal, and then passes new commands to the sending machine. The journal
 * decides which commands are new: repeated commands and commands with a tombstone are not new.
 */
export class CommandIntake {
  readonly #options: CommandIntakeOptions
  readonly #turns = new Turns()

  constructor(options: CommandIntakeOptions) {
    this.#options = options
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
    const { journal, state, moment: now, step, onProblem } = this.#options
    const moment = now()
    const unknown = commands.filter(({ cmdId }) => !state().open.has(cmdId))
    const isBusy = state().schedule.queue.length > 0
    const { fresh } = await journal.write(
      [
        ...unknown.map((command) => ({ kind: 'command-received' as const, command, at: moment.stamp })),
        // The outcome of a repeated command is reported again, because the relay may have been restored from a backup.
        ...commands.map(({ cmdId }) => processedEvent(cmdId, moment)),
      ],
      // If other messages are waiting, a result will be written soon. Then the new messages are written in the same
      // commit as this result.
      { mayWaitMs: isBusy ? sharedCommitWaitMs : 0 },
    )
    crashPoint('command-journaled')
    const isFresh = new Set(fresh)
    const accepted = unknown.filter(({ cmdId }) => isFresh.has(cmdId))
    step({ kind: 'accepted', commands: accepted, receivedMs: moment.stamp.wallMs }).catch(onProblem)
  }

  async #cancel(cmdId: string): Promise<void> {
    const { journal, state, moment: now, step } = this.#options
    if (state().open.has(cmdId)) return step({ kind: 'cancel', cmdId })
    const record = await journal.read('command', { cmdId })
    const moment = now()
    const isOver = record !== undefined && record.outcome !== 'cancelled'
    await journal.write(
      isOver
        ? [cancelRefusedEvent(cmdId, moment)]
        : [{ kind: 'tombstone', cmdId, at: moment.stamp }, cancelledEvent(cmdId, {}, moment)],
    )
  }
}
