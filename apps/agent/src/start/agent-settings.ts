import { isObject } from '@smsgw/contract/fields/json'
import type { EncryptionKey } from '@smsgw/contract/link/event'
import { agentSettingKeys } from '@smsgw/contract/relay/settings'
import type { Clock, Timer } from '@smsgw/modem/clock'
import { isUsableKey } from '../encryption/encrypt-value.ts'
import type { Json } from '../journal/change.ts'
import type { SendingSettings } from '../sending/schedule/sending-settings.ts'
import type { ProblemLog } from './problem-log.ts'

/** The account settings that an agent uses, with the names and ranges of the API. */
export type KnownSettings = { readonly [Section in keyof typeof agentSettingKeys]: Readonly<Record<string, Json>> }

export const noSettings: KnownSettings = { messages: {}, ping: {}, privacy: {}, encryption: {} }

/**
 * Reads settings from the relay. A setting whose value is outside the range of the API keeps its previous value and is
 * listed in `refused`. So a newer or malicious relay can neither prevent an agent from sending nor keep the agent
 * permanently busy.
 */
export function takeSettings(
  sent: Readonly<Record<string, unknown>>,
  before: KnownSettings,
): { readonly known: KnownSettings; readonly refused: readonly string[] } {
  const refused: string[] = []
  const section = (name: keyof KnownSettings) => {
    if (sent[name] === undefined) return {}
    if (!isObject(sent[name])) {
      refused.push(name)
      return before[name]
    }
    const values = sent[name]
    const entries = Object.entries(agentSettingKeys[name]).flatMap(([key, schema]): [string, Json][] => {
      const value = values[key]
      if (value === undefined || value === null) return []
      const read = schema.safeParse(value)
      if (read.success && (key !== 'inbox_public_key' || isUsableKey(String(read.data)))) return [[key, read.data]]
      refused.push(`${name}.${key}`)
      return before[name][key] === undefined ? [] : [[key, before[name][key]]]
    })
    return Object.fromEntries(entries)
  }
  const encryption = section('encryption')
  // Uses a key only together with its version, because a value with the version of another key could not be decrypted.
  const isKeyRefused = refused.some((name) => name.startsWith('encryption'))
  return {
    known: {
      messages: section('messages'),
      ping: section('ping'),
      privacy: section('privacy'),
      encryption: isKeyRefused ? before.encryption : encryption,
    },
    refused,
  }
}

/**
 * The account settings in use. Changes are stored, so that the next process can use the settings without a relay.
 *
 * Each change causes a write to the disk and may restart the pings, so the rate of changes is limited: the first
 * ten changes take effect immediately, and then only the latest change of each second.
 */
export class SettingsInUse {
  readonly #options: SettingsInUseOptions
  #known: KnownSettings = noSettings
  #written: Promise<void> = Promise.resolve()
  /** The number of changes that were used recently. The number decreases by one each second. */
  #recent = 0
  #recentAtMs = 0
  #held: HeldSettings | undefined

  constructor(options: SettingsInUseOptions) {
    this.#options = options
  }

  get known(): KnownSettings {
    return this.#known
  }

  /** Resolves when the last change is on disk. */
  get stored(): Promise<void> {
    return this.#held?.stored ?? this.#written
  }

  /** Uses the settings that an earlier process stored. */
  restore(note: Json | undefined): void {
    this.#use((note ?? {}) as Readonly<Record<string, unknown>>)
  }

  /** Uses and stores settings from the relay, at once or after a delay. */
  receive(sent: Readonly<Record<string, unknown>>): void {
    if (this.#held === undefined && this.#recentChanges() < burst) this.#take(sent)
    else this.#hold(sent)
  }

  /** Uses and stores the delayed settings. */
  stop(): void {
    this.#held?.timer.cancel()
    this.#takeHeld()
  }

  #recentChanges(): number {
    const nowMs = this.#options.clock.nowMs()
    this.#recent = Math.max(0, this.#recent - (nowMs - this.#recentAtMs) / pauseMs)
    this.#recentAtMs = nowMs
    return this.#recent
  }

  #take(sent: Readonly<Record<string, unknown>>): void {
    this.#recent = this.#recentChanges() + 1
    const before = JSON.stringify(this.#known)
    this.#use(sent)
    if (JSON.stringify(this.#known) !== before) this.#written = this.#options.store({ ...this.#known })
  }

  #hold(sent: Readonly<Record<string, unknown>>): void {
    const { promise: stored, resolve: onStored } = Promise.withResolvers<void>()
    this.#held =
      this.#held === undefined
        ? { sent, stored, onStored, timer: this.#options.clock.after(pauseMs, () => this.#takeHeld()) }
        : { ...this.#held, sent }
  }

  #takeHeld(): void {
    const held = this.#held
    if (held === undefined) return
    this.#held = undefined
    this.#take(held.sent)
    held.onStored(this.#written)
  }

  #use(sent: Readonly<Record<string, unknown>>): void {
    const { problems, onChanged } = this.#options
    const { known, refused } = takeSettings(sent, this.#known)
    this.#known = known
    if (refused.length === 0) problems.resolved()
    else
      problems.report(`the relay sent invalid settings (${refused.join(', ')}); the agent keeps their previous values`)
    onChanged(agentSettings(known))
  }
}

export interface SettingsInUseOptions {
  readonly clock: Clock
  readonly problems: ProblemLog
  readonly store: (settings: Json) => Promise<void>
  readonly onChanged: (settings: AgentSettings) => void
}

interface HeldSettings {
  readonly sent: Readonly<Record<string, unknown>>
  readonly timer: Timer
  /** Resolves when these settings are on disk. */
  readonly stored: Promise<void>
  readonly onStored: (stored: Promise<void>) => void
}

const burst = 10
const pauseMs = 1000

/** The name of the journal note that contains the settings. */
export const settingsNote = 'settings'

export function agentSettings({ messages, ping, encryption }: KnownSettings): AgentSettings {
  return {
    sending: {
      pace: {
        ...interval(messages),
        limit: limit(messages),
        workHours: workHours(messages),
      },
      simSelection: choice(messages['sim_selection_mode'], ['OSDefault', 'RoundRobin', 'Random'] as const),
      order: choice(messages['processing_order'], ['FIFO', 'LIFO'] as const),
    },
    pingMs: positive(ping['interval_seconds'], 1000),
    inboxKey: inboxKeyIn(encryption),
  }
}

export interface AgentSettings {
  readonly sending: SendingSettings
  /** Undefined if no pings are sent. */
  readonly pingMs: number | undefined
  /** The key of the account, with which received messages are encrypted. */
  readonly inboxKey: AccountKey | undefined
}

export interface AccountKey extends EncryptionKey {
  /** Present if the relay gets aliases in place of the numbers of senders. */
  readonly hidesSender?: true
}

function interval(messages: Known): { readonly intervalMinMs: number; readonly intervalMaxMs: number } {
  const min = positive(messages['send_interval_min'], 1000)
  const max = positive(messages['send_interval_max'], 1000)
  const least = min ?? max ?? 0
  return { intervalMinMs: Math.min(least, max ?? least), intervalMaxMs: max ?? least }
}

/** Returns the key of the account in the settings that an earlier process stored. */
export function storedInboxKey(note: Json | undefined): AccountKey | undefined {
  return agentSettings(takeSettings((note ?? {}) as Readonly<Record<string, unknown>>, noSettings).known).inboxKey
}

function inboxKeyIn(encryption: Known): AccountKey | undefined {
  const { inbox_public_key: publicKey, inbox_key_version: version, inbox_hide_sender: hidesSender } = encryption
  if (typeof publicKey !== 'string' || typeof version !== 'number') return undefined
  return { publicKey, version, ...(hidesSender === true && { hidesSender }) }
}

function limit(messages: Known): { readonly periodMs: number; readonly value: number } | undefined {
  const periodMs = periods[String(messages['limit_period'])]
  const value = positive(messages['limit_value'], 1)
  return periodMs === undefined || value === undefined ? undefined : { periodMs, value }
}

function workHours(messages: Known) {
  const startMinute = minuteOf(messages['work_hours_start'])
  const endMinute = minuteOf(messages['work_hours_end'])
  if (messages['work_hours_enabled'] !== true || startMinute === undefined || endMinute === undefined) return undefined
  return { startMinute, endMinute }
}

type Known = Readonly<Record<string, unknown>>

const minute = 60_000
const periods: Readonly<Record<string, number>> = {
  PerMinute: minute,
  Per30Minutes: 30 * minute,
  PerHour: 60 * minute,
  PerDay: 24 * 60 * minute,
}

function positive(value: unknown, unit: number): number | undefined {
  return typeof value === 'number' && value > 0 ? value * unit : undefined
}

function choice<const Choices extends readonly string[]>(value: unknown, choices: Choices): Choices[number] {
  return choices.find((each) => each === value) ?? (choices[0] as Choices[number])
}

function minuteOf(value: unknown): number | undefined {
  const parts = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(String(value))
  return parts === null ? undefined : Number(parts[1]) * 60 + Number(parts[2])
}
