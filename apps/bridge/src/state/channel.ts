import type { DatabaseSync } from 'node:sqlite'
import type { SmsGateway, SmsGatewayOptions } from '@smsgw/client'
import type { Log } from '@smsgw/daemon/log/log'
import { Notes } from './bridge-state.ts'
import { type ChannelReport, ChannelState } from './channel-state.ts'
import { HandledItems } from './handled-items.ts'
import { SentMessages } from './sent-messages.ts'

/** One channel that follows the account: its stored state, its report, and its end. */
export class Channel {
  readonly name: string
  readonly log: Log
  readonly notes: Notes
  readonly handled: HandledItems
  readonly sent: SentMessages
  readonly state: ChannelState
  readonly #stopping = new AbortController()

  /** @param parts the parts that must work, each with its problem at the start */
  constructor(name: string, database: DatabaseSync, log: Log, parts: Readonly<Record<string, string>>) {
    this.name = name
    this.log = log
    this.notes = new Notes(database)
    this.handled = new HandledItems(database, name)
    this.sent = new SentMessages(database, name)
    this.state = new ChannelState(name, parts)
  }

  /** Aborts when the channel is stopped. */
  get signal(): AbortSignal {
    return this.#stopping.signal
  }

  stop(): void {
    this.#stopping.abort()
  }
}

export interface ChannelOptions<Config> {
  readonly config: Config
  readonly database: DatabaseSync
  /** The clock for the ages of stored rows, see `RunningTime`. */
  readonly now: () => number
  readonly log: Log
}

export interface ConnectOption {
  /** Creates a client for the account of the bridge, unless the options have other credentials. */
  readonly connect: (options: Partial<SmsGatewayOptions>) => SmsGateway
}

export interface RunningChannel {
  readonly report: () => ChannelReport
  readonly stop: () => Promise<void>
}
