// Outbound path, step 11: acknowledges the command after the journal has the message. Next: sender.ts.

import { type Command, commandKey, type SendCommand } from '@smsgw/contract/link/command'
import type { AgentEvent } from '@smsgw/contract/link/event'
import type { AgentFailureCode } from '@smsgw/contract/messages/failure-code'
import type { ReceivedCommand } from '@smsgw/link/commands/received-command'
import { type Finding, findingForRelay } from '../doctor/finding.ts'
import { type Journal, JournalError } from '../journal/journal.ts'
import type { ModemCommand, ModemReply } from '../modems/modem-commands.ts'
import type { AnsweredUssd } from '../modems/ussd-sessions.ts'
import type { Sender } from '../sending/sender.ts'
import type { TrustedTime } from '../time/trusted-time.ts'

export interface CommandHandlerOptions {
  readonly journal: Journal
  readonly sender: Pick<Sender, 'accept' | 'cancel'>
  readonly time: TrustedTime
  readonly journalId: () => string
  readonly sweep: () => Promise<void>
  readonly ussd: (command: Extract<Command, { kind: 'ussd' }>) => Promise<AnsweredUssd>
  readonly modem: (command: ModemCommand) => Promise<ModemReply>
  readonly examine: () => Promise<readonly Finding[]>
  readonly onError: (error: unknown) => void
}

/** Executes the commands of the relay. */
export class CommandHandler {
  readonly #options: CommandHandlerOptions
  #examination: Promise<readonly Finding[]> | undefined

  constructor(options: CommandHandlerOptions) {
    this.#options = options
  }

  /**
   * Resolves with the keys of the commands when the `send` and `cancel` commands are on disk and the other commands
   * were started. Leaves out a command that could not be written: the relay sends it again after the next connect.
   */
  async take(journalId: string, commands: readonly ReceivedCommand[]): Promise<readonly string[]> {
    // Writes nothing, because the new journal already contains the commands of the replaced journal. The result of
    // these commands counts as unknown.
    if (journalId !== this.#options.journalId()) return []
    const sends = commands.flatMap((each) => ('command' in each && each.command.kind === 'send' ? [each.command] : []))
    const taken = [this.#accept(sends)]
    for (const received of commands) {
      if (!('command' in received)) taken.push(this.#keyAfter(received.key, this.#refuse(received)))
      else if (received.command.kind !== 'send') taken.push(this.#execute(received.command))
    }
    return (await Promise.all(taken)).flat()
  }

  /** Writes the messages together. If the journal refuses this write, each message is written separately. */
  async #accept(sends: readonly SendCommand[]): Promise<readonly string[]> {
    if (sends.length === 0) return []
    try {
      await this.#options.sender.accept(sends)
      return sends.map(commandKey)
    } catch (error) {
      if (sends.length > 1 && error instanceof JournalError && error.reason === 'refused')
        return (await Promise.all(sends.map((send) => this.#accept([send])))).flat()
      this.#options.onError(error)
      return []
    }
  }

  async #execute(command: Exclude<Command, SendCommand>): Promise<readonly string[]> {
    const key = commandKey(command)
    if (command.kind === 'cancel') return await this.#keyAfter(key, this.#options.sender.cancel(command.cmdId))
    if (command.kind === 'sweep') this.#start(this.#sweep(command.cmdId))
    if (command.kind === 'ussd') this.#start(this.#ussd(command))
    if (command.kind === 'enter-pin' || command.kind === 'restart-modem') this.#start(this.#modem(command))
    if (command.kind === 'examine') this.#start(this.#examine(command.cmdId))
    return [key]
  }

  /** Resolves with the key when the work is done. If the work fails, resolves without a key. */
  async #keyAfter(key: string, work: Promise<void>): Promise<readonly string[]> {
    try {
      await work
      return [key]
    } catch (error) {
      this.#options.onError(error)
      return []
    }
  }

  async #sweep(cmdId: string): Promise<void> {
    await this.#options.sweep()
    await this.#report({ kind: 'swept', cmdId, at: this.#now() })
  }

  async #ussd(command: Extract<Command, { kind: 'ussd' }>): Promise<void> {
    const result = await this.#options.ussd(command)
    await this.#report({ kind: 'ussd-answered', cmdId: command.cmdId, at: this.#now(), ...result })
  }

  async #modem(command: ModemCommand): Promise<void> {
    const reply = await this.#options.modem(command)
    await this.#report({ kind: 'modem-answered', cmdId: command.cmdId, at: this.#now(), ...reply })
  }

  /** Concurrent requests share one examination. */
  async #examine(cmdId: string): Promise<void> {
    this.#examination ??= this.#options.examine().finally(() => {
      this.#examination = undefined
    })
    const findings = (await this.#examination).slice(0, maxFindings).map(findingForRelay)
    await this.#report({ kind: 'examined', cmdId, at: this.#now(), findings })
  }

  /**
   * Answers a command of a newer relay that this agent does not support, so that the relay does not wait for a result.
   */
  #refuse({ key, cmdId, problem }: Exclude<ReceivedCommand, { command: Command }>): Promise<void> {
    const at = this.#now()
    const reason = `this version of the agent does not support the command: ${problem}`.slice(0, 480)
    if (key.startsWith('send:')) {
      // Contains no advice, because the relay adds the advice of this code.
      const code: AgentFailureCode = 'unsupported'
      return this.#report({ kind: 'failed', cmdId, at, code, reason })
    }
    const message = `${key}: ${reason} (update the agent)`
    return this.#report({ kind: 'logged', at, module: 'link', priority: 'WARN', message })
  }

  #start(work: Promise<void>): void {
    work.catch(this.#options.onError)
  }

  async #report(event: AgentEvent): Promise<void> {
    await this.#options.journal.write([{ kind: 'event', event }])
  }

  #now(): string {
    const { time } = this.#options
    return time.local(time.now().wallMs)
  }
}

/** More findings than a machine with many modems has. */
const maxFindings = 100
