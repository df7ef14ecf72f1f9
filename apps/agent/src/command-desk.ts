import type { Command } from '@smsgw/contract/link/command'
import { commandKey } from '@smsgw/contract/link/command'
import type { AgentEvent } from '@smsgw/contract/link/event'
import type { ReceivedCommand } from '@smsgw/link/received-command'
import { type Finding, toldFinding } from './doctor/finding.ts'
import type { Journal } from './journal/journal.ts'
import type { UssdReply } from './modems/ussd-desk.ts'
import type { Sender } from './sending/sender.ts'
import type { TrustedTime } from './time/trusted-time.ts'

export interface CommandDeskParts {
  readonly journal: Journal
  readonly sender: Pick<Sender, 'accept' | 'cancel'>
  readonly time: TrustedTime
  readonly journalId: () => string
  readonly sweep: () => Promise<void>
  readonly ussd: (command: Extract<Command, { kind: 'ussd' }>) => Promise<UssdReply>
  readonly examine: () => Promise<readonly Finding[]>
  readonly onTrouble: (error: unknown) => void
}

/** Takes the relay's commands to whom they concern. */
export class CommandDesk {
  readonly #parts: CommandDeskParts
  #examining: Promise<readonly Finding[]> | undefined

  constructor(parts: CommandDeskParts) {
    this.#parts = parts
  }

  /** Resolves with their keys when they are on disk; what is not kept on disk has begun by then. */
  async take(journalId: string, commands: readonly ReceivedCommand[]): Promise<readonly string[]> {
    // What was meant for the journal that this one took the place of is in doubt there already.
    if (journalId !== this.#parts.journalId()) return []
    const known = commands.flatMap((taken) => ('command' in taken ? [taken.command] : []))
    const sends = known.filter((command) => command.kind === 'send')
    const work: Promise<unknown>[] = []
    if (sends.length > 0) work.push(this.#parts.sender.accept(sends))
    for (const command of known) {
      if (command.kind === 'cancel') work.push(this.#parts.sender.cancel(command.cmdId))
      if (command.kind === 'sweep') this.#begin(this.#sweep(command.cmdId))
      if (command.kind === 'ussd') this.#begin(this.#ussd(command))
      if (command.kind === 'examine') this.#begin(this.#examine(command.cmdId))
    }
    for (const taken of commands) if (!('command' in taken)) work.push(this.#refuse(taken))
    await Promise.all(work)
    return commands.map((taken) => ('command' in taken ? commandKey(taken.command) : taken.key))
  }

  async #sweep(cmdId: string): Promise<void> {
    await this.#parts.sweep()
    await this.#tell({ kind: 'swept', cmdId, at: this.#now() })
  }

  async #ussd(command: Extract<Command, { kind: 'ussd' }>): Promise<void> {
    const result = await this.#parts.ussd(command)
    await this.#tell({ kind: 'ussd-answered', cmdId: command.cmdId, at: this.#now(), ...result })
  }

  /** Several who ask at the same time are told of one look. */
  async #examine(cmdId: string): Promise<void> {
    this.#examining ??= this.#parts.examine().finally(() => {
      this.#examining = undefined
    })
    const findings = (await this.#examining).slice(0, mostFindings).map(toldFinding)
    await this.#tell({ kind: 'examined', cmdId, at: this.#now(), findings })
  }

  /** A newer relay asks what this agent does not know: it says so, and nobody waits for ever. */
  #refuse({ key, cmdId, problem }: Exclude<ReceivedCommand, { command: Command }>): Promise<void> {
    const at = this.#now()
    const reason = `this agent cannot do that, a newer one may: ${problem}`.slice(0, 500)
    if (key.startsWith('send:')) return this.#tell({ kind: 'failed', cmdId, at, code: 'unsupported', reason })
    return this.#tell({ kind: 'logged', at, module: 'link', priority: 'WARN', message: `${key}: ${reason}` })
  }

  #begin(work: Promise<void>): void {
    work.catch(this.#parts.onTrouble)
  }

  async #tell(event: AgentEvent): Promise<void> {
    await this.#parts.journal.write([{ kind: 'event', event }])
  }

  #now(): string {
    const { time } = this.#parts
    return time.local(time.now().wallMs)
  }
}

/** More than a machine full of modems has. */
const mostFindings = 100
