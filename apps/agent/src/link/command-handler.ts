// Outbound path, step 11: acknowledges the command after the journal has the message. Next: sender.ts.

import { type Command, commandKey } from '@smsgw/contract/link/command'
import type { AgentEvent } from '@smsgw/contract/link/event'
import type { AgentFailureCode } from '@smsgw/contract/messages/failure-code'
import type { ReceivedCommand } from '@smsgw/link/commands/received-command'
import { type Finding, findingForRelay } from '../doctor/finding.ts'
import type { Keep } from '../journal/keep-writing.ts'
import type { ModemCommand, ModemReply } from '../modems/modem-commands.ts'
import type { AnsweredUssd } from '../modems/ussd-sessions.ts'
import type { TrustedTime } from '../time/trusted-time.ts'
import { CommandWriter, type CommandWriterOptions } from './command-writer.ts'

export interface CommandHandlerOptions extends CommandWriterOptions {
  /** Writes results, and retries until they are on disk. */
  readonly keep: Keep
  readonly time: TrustedTime
  readonly sweep: () => Promise<void>
  readonly ussd: (command: Extract<Command, { kind: 'ussd' }>) => Promise<AnsweredUssd>
  readonly modem: (command: ModemCommand) => Promise<ModemReply>
  readonly examine: () => Promise<readonly Finding[]>
}

/** Executes the commands of the relay. */
export class CommandHandler {
  readonly #options: CommandHandlerOptions
  readonly #writer: CommandWriter
  #examination: Promise<readonly Finding[]> | undefined

  constructor(options: CommandHandlerOptions) {
    this.#options = options
    this.#writer = new CommandWriter(options)
  }

  /**
   * Each promise resolves with the keys of some of the commands, when `send` and `cancel` commands are on disk and
   * other commands were started. Commands that only have to be started do not wait for a full disk: the relay would
   * send them again after the next connect. Leaves out a command that the journal refuses.
   */
  take(journalId: string, commands: readonly ReceivedCommand[]): readonly Promise<readonly string[]>[] {
    // Writes nothing, because the new journal already contains the commands of the replaced journal. The result of
    // these commands counts as unknown.
    if (journalId !== this.#options.journalId()) return []
    const known = commands.flatMap((each) => ('command' in each ? [each.command] : []))
    const sends = known.filter((command) => command.kind === 'send')
    const cancels = known.filter((command) => command.kind === 'cancel')
    const started = known.filter((command) => command.kind !== 'send' && command.kind !== 'cancel')
    const refused = commands.flatMap((each) => ('command' in each ? [] : [each]))
    for (const command of started) this.#execute(command)
    return [
      ...(sends.length > 0 ? [this.#writer.accept(journalId, sends)] : []),
      ...cancels.map(({ cmdId }) => this.#writer.cancel(journalId, cmdId)),
      ...(started.length > 0 ? [Promise.resolve(started.map(commandKey))] : []),
      ...refused.map((each) => this.#keyAfter(each.key, this.#refuse(each))),
    ]
  }

  #execute(command: StartedCommand): void {
    if (command.kind === 'sweep') this.#start(this.#sweep(command.cmdId))
    if (command.kind === 'ussd') this.#start(this.#ussd(command))
    if (command.kind === 'enter-pin' || command.kind === 'restart-modem') this.#start(this.#modem(command))
    if (command.kind === 'examine') this.#start(this.#examine(command.cmdId))
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
    await this.#options.keep([{ kind: 'event', event }])
  }

  #now(): string {
    const { time } = this.#options
    return time.local(time.now().wallMs)
  }
}

type StartedCommand = Exclude<Command, { kind: 'send' | 'cancel' }>

/** More findings than a machine with many modems has. */
const maxFindings = 100
