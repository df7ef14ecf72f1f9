import { join } from 'node:path'
import type { AliasKey } from '@smsgw/contract/link/event'
import type { AgentInput } from '@smsgw/link/agent/state'
import { DeviceKeys, deviceKeysFile } from '../encryption/device-keys.ts'
import type { NumberAliases } from '../encryption/number-aliases.ts'
import type { InboxKey } from '../receiving/encrypted-event.ts'
import { judgeSystemClock } from '../time/system-clock.ts'
import { TrustedClock } from '../time/trusted-clock.ts'
import { type AgentModems, createModems } from './agent-modems.ts'
import type { AgentOptions } from './agent-options.ts'
import { type AccountKey, SettingsInUse, settingsNote, storedInboxKey } from './agent-settings.ts'
import { type AgentStore, openAgentStore } from './agent-store.ts'
import { createMessaging, type Messaging } from './messaging.ts'
import { type AgentProblems, agentProblems } from './problem-log.ts'

/** The parts of an agent except the link to the relay. */
export interface AgentParts {
  readonly options: AgentOptions
  readonly bootId: string
  readonly store: AgentStore
  readonly deviceKeys: DeviceKeys
  readonly accountKey: AccountKeyInUse
  readonly messaging: Messaging
  readonly modems: AgentModems
  readonly settings: SettingsInUse
  readonly problems: AgentProblems
  readonly toLink: (input: AgentInput) => void
}

/** Opens the journal and creates the parts. Continues the work of the process that used the journal before. */
export async function createParts(
  options: AgentOptions,
  bootId: string,
  toLink: (input: AgentInput) => void,
): Promise<AgentParts> {
  const problems = agentProblems(options.log, options.dataDir)
  const time = new TrustedClock({
    clock: options.clock,
    bootId,
    systemMs: Date.now,
    judgeSystem: () => judgeSystemClock(),
    onChanged: () => messaging.timeChanged(),
  })
  const store = await openAgentStore(options, problems, time, toLink)
  const notes = await store.journal.read('notes', {})
  const deviceKeys = await DeviceKeys.load(join(options.dataDir, deviceKeysFile))
  const accountKey = new AccountKeyInUse(storedInboxKey(notes[settingsNote]), deviceKeys.aliases)
  const keys = { deviceKeys, inboxKey: () => accountKey.inboxKey }
  const messaging = createMessaging(options, time, keys, store, problems, toLink)
  const shownNumber = (number: string) => accountKey.shownNumber(number)
  const modems = createModems(options, messaging, store, notes, shownNumber, problems, toLink)
  const created = { options, bootId, store, deviceKeys, accountKey, messaging, modems, problems, toLink }
  const parts = { ...created, settings: useSettings(created) }
  await messaging.sender.restore()
  await messaging.receiver.restore()
  if (store.isContinued) {
    parts.settings.restore(notes[settingsNote])
    messaging.sender.confirm()
  }
  return parts
}

/** Returns the settings of the account, which are applied whenever they change. */
function useSettings(parts: Omit<AgentParts, 'settings'>): SettingsInUse {
  const { options, problems, store, accountKey, messaging, modems, toLink } = parts
  const reportAliasKey = () => {
    const { aliasKey } = accountKey
    toLink({ kind: 'facts-changed', facts: { aliasKey } })
    if (aliasKey !== undefined) modems.reporter.aliasKeyChanged(aliasKey)
  }
  return new SettingsInUse({
    clock: options.clock,
    problems: problems.settings,
    store: (value) => store.keep([{ kind: 'note', name: settingsNote, value }]),
    onChanged: ({ sending, pingMs, inboxKey }) => {
      if (accountKey.replace(inboxKey)) reportAliasKey()
      messaging.sender.use(sending)
      modems.reporter.pingEvery(pingMs)
    },
  })
}

/** The key of the account, with which received messages are encrypted, and the aliases of hidden senders. */
class AccountKeyInUse {
  readonly #aliases: NumberAliases
  #key: AccountKey | undefined

  /**
   * @param stored the key that an earlier process stored. It is used at once, so that no received message is reported
   * unencrypted
   */
  constructor(stored: AccountKey | undefined, aliases: NumberAliases) {
    this.#key = stored
    this.#aliases = aliases
  }

  get inboxKey(): InboxKey | undefined {
    return this.#key && { ...this.#key, aliases: this.#key.hidesSender && this.#aliases }
  }

  /** Undefined if the relay may know the numbers of senders. */
  get aliasKey(): AliasKey | undefined {
    return this.#key?.hidesSender ? this.#aliases.keyFor(this.#key) : undefined
  }

  /** Returns the number, or its alias if numbers of senders are hidden from the relay. */
  shownNumber(number: string): string {
    return this.#key?.hidesSender ? this.#aliases.aliasOf(number, this.#key) : number
  }

  /** Returns false if the key is the same as before. */
  replace(key: AccountKey | undefined): boolean {
    const isChanged = JSON.stringify(this.#key) !== JSON.stringify(key)
    this.#key = key
    return isChanged
  }
}
