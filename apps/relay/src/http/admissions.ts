import type { AccessLoss } from '@smsgw/contract/live/live-event'
import type { Principal } from './endpoint.ts'
import { ApiError } from './errors/api-error.ts'

export type { AccessLoss } from '@smsgw/contract/live/live-event'

export type OnLost = (loss: AccessLoss) => void

/** Checks whether an authenticated caller still has access. */
export interface Admissions {
  /**
   * Returns undefined if the caller had access at some time in the last two seconds. Rejects while the database is
   * unavailable.
   */
  lossOf(principal: Principal): Promise<AccessLoss | undefined>
  /** Calls `onLost` within two seconds after the caller has lost access. Returns a function that stops watching. */
  watch(principal: Principal, onLost: OnLost): () => void
}

/** The access of one caller during its request. */
export class CallerAccess {
  readonly #admissions: Admissions
  readonly #principal: Principal

  constructor(admissions: Admissions, principal: Principal) {
    this.#admissions = admissions
    this.#principal = principal
  }

  lost(): Promise<AccessLoss | undefined> {
    return this.#admissions.lossOf(this.#principal)
  }

  onLost(listener: OnLost): () => void {
    return this.#admissions.watch(this.#principal, listener)
  }

  /** Throws 401 if the caller has lost access. Long work calls this between its steps. */
  async refuseLost(): Promise<void> {
    const loss = await this.lost()
    if (loss !== undefined) throw lostAccess(loss)
  }

  /** Returns the result of the work. Throws 401 as soon as the caller loses access. */
  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    const { promise, reject } = Promise.withResolvers<never>()
    const stop = this.onLost((loss) => reject(lostAccess(loss)))
    try {
      return await Promise.race([work(), promise])
    } finally {
      stop()
    }
  }
}

export const LOSS_MESSAGES: Readonly<Record<AccessLoss, string>> = {
  token_expired: 'The token expired; refresh it or request a new one',
  token_revoked: 'The token was revoked; request a new one',
  session_expired: 'The session expired; sign in again',
  session_ended: 'The session ended; sign in again',
  password_changed: 'The password was changed; sign in with the new one',
  account_removed: 'The account was removed',
  key_expired: 'The API key expired; create a new one',
  key_revoked: 'The API key was revoked or replaced; use a current one',
}

export function lostAccess(loss: AccessLoss): ApiError {
  return new ApiError(401, LOSS_MESSAGES[loss], { headers: { 'WWW-Authenticate': 'Bearer realm="smsgw"' } })
}
