// Outbound path, step 11: acknowledges the command after the journal has the message. Next: sender.ts.

import type { AgentFailureCode } from '@smsgw/contract/failure-code'
import { type Command, commandKey } from '@smsgw/contract/link/command'
import type { AgentEvent } from '@smsgw/contract/link/event'
import type { ReceivedCommand } from '@smsgw/link/commands/received-command'
import { type Finding, findingForRelay } from '../doctor/finding.ts'
import type { Journal } from '../journal/journal.ts'
import type { ModemCommand, ModemReply } from '../modems/modem-commands.ts'
import type { UssdReply } from '../modems/ussd-sessions.ts'
import type { Sender } from '../sending/sender.ts'
import type { TrustedTime } from '../time/trusted-time.ts'

export interface CommandHandlerOptions {
  readonly journal: Journal
  readonly sender: Pick<Sender, 'accept' | 'cancel'>
  readonly time: TrustedTime
  readonly journalId: () => string
  readonly sweep: () => Promise<void>
  readonly ussd: (command: Extract<Command, { kind: 'ussd' }>) => Promise<UssdReply>
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

  /** Resolves with the keys of the commands when sends and cancels are on disk and the other commands were started. */
  async take(journalId: string, commands: readonly ReceivedCommand[]): Promise<readonly string[]> {
    // Writes nothing, because the new journal already contains the commands of the replaced journal. The result of
    // those commands counts as unknown.
    if (journalId !== this.#options.journalId()) return []
    const known = commands.flatMap((received) => ('command' in received ? [received.command] : []))
    const sends = known.filter((command) => command.kind === 'send')
    const work: Promise<unknown>[] = []
    if (sends.length > 0) work.push(this.#options.sender.accept(sends))
    for (const command of known) {
      if (command.kind === 'cancel') work.push(this.#options.sender.cancel(command.cmdId))
      if (command.kind === 'sweep') this.#start(this.#sweep(command.cmdId))
      if (command.kind === 'ussd') this.#start(this.#ussd(command))
      if (command.kind === 'enter-pin' || command.kind === 'restart-modem') this.#start(this.#modem(command))
      if (command.kind === 'examine') this.#start(this.#examine(command.cmdId))
    }
    for (const received of commands) if (!('command' in received)) work.push(this.#refuse(received))
    await Promise.all(work)
    return commands.map((received) => ('command' in received ? commandKey(received.command) : received.key))
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

  /** Answers a command from a newer relay that this agent does not support, so that nothing waits for a result. */
  #refuse({ key, cmdId, problem }: Exclude<ReceivedCommand, { command: Command }>): Promise<void> {
    const at = this.#now()
    const reason = `this version of the agent does not support the command, update the agent: ${problem}`.slice(0, 500)
    if (key.startsWith('send:')) {
      const code: AgentFailureCode = 'unsupported'
      return this.#report({ kind: 'failed', cmdId, at, code, reason })
    }
    return this.#report({ kind: 'logged', at, module: 'link', priority: 'WARN', message: `${key}: ${reason}` })
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
