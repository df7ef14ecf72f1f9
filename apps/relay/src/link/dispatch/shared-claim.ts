import type { Command } from '@smsgw/contract/link/command'
import { isStatementError } from '../../messages/accept/statement-error.ts'
import type { Database } from '../../store/database.ts'
import { type RawStatements, transactionInOneTrip } from '../../store/raw-statements.ts'

type Claim = (statements: RawStatements) => Promise<Command[]>

/**
 * A claim that runs in the transaction that stores new messages. Message and dispatch then share one round trip and one
 * commit, so an idle device gets a new message sooner. The claim sees the new messages, because it runs after the
 * statement that stores them.
 *
 * States: *offered* until the session of the device takes it for its next claim. A session takes it at once, or not at
 * all. *Taken*: `storeFirst` must be called.
 */
export class SharedClaim {
  readonly #commands = Promise.withResolvers<Command[]>()
  #claim: Claim | undefined

  get isTaken(): boolean {
    return this.#claim !== undefined
  }

  /** Takes the offer. Returns the claimed commands when they are committed. */
  take(claim: Claim): Promise<Command[]> {
    this.#claim = claim
    return this.#commands.promise
  }

  /**
   * Runs the statement and then the claim in one transaction. If the transaction is rolled back, the claim runs alone.
   * If it is unknown whether it was committed, the claim fails, and the session reads the dispatched commands again.
   */
  async storeFirst<Stored>(
    database: Database,
    store: (statements: RawStatements) => Promise<Stored>,
  ): Promise<{ readonly stored: Stored; readonly claimed: number }> {
    const claim = this.#claim
    if (claim === undefined) throw new Error('no session has taken this claim')
    try {
      const [stored, commands] = await transactionInOneTrip<[Stored, Command[]]>(database, (statements) => [
        store(statements),
        claim(statements),
      ])
      this.#commands.resolve(commands)
      return { stored, claimed: commands.length }
    } catch (error) {
      if (isStatementError(error)) this.#commands.resolve(claim(database))
      else this.#commands.reject(error)
      throw error
    }
  }
}
