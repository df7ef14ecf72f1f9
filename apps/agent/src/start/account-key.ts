import type { AliasKey } from '@smsgw/contract/link/event'
import type { NumberAliases } from '../encryption/number-aliases.ts'
import type { InboxKey } from '../receiving/encrypted-event.ts'
import type { AccountKey } from './agent-settings.ts'

/** The key of the account, with which received messages are encrypted, and the aliases of hidden senders. */
export class AccountKeyInUse {
  readonly #aliases: NumberAliases
  #key: AccountKey | undefined

  /** @param stored the key that an earlier process stored, so that no received message is reported unencrypted */
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
