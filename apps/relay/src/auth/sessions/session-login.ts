import { createHash } from 'node:crypto'
import type { CoreDeps } from '../../core-deps.ts'
import type { Principal } from '../../http/endpoint.ts'
import { FreshLookup } from '../../store/fresh-lookup.ts'
import { readSessionStandings, type SessionStanding } from './read-session-standings-statement.ts'

/** Lifetime of a session, counted from the last time the console was opened. */
export const SESSION_SECONDS = 30 * 86_400
const DAY_MS = 86_400_000
/**
 * The largest number of sessions per account, so that a script that signs in for each request does not fill the table.
 */
const MAX_SESSIONS = 100

type SessionLoginDeps = Pick<CoreDeps, 'database' | 'clock' | 'random'>

/**
 * Sessions of browsers. The browser holds 256 random bits, and the database holds their hash. A session belongs to one
 * version of the account's password, so a password change ends it on every relay within two seconds (see FreshLookup).
 */
export class SessionLogin {
  readonly #deps: SessionLoginDeps
  readonly #standings: FreshLookup<SessionStanding>

  constructor(deps: SessionLoginDeps) {
    this.#deps = deps
    this.#standings = new FreshLookup({
      nowMs: () => this.#nowMs(),
      size: 10_000,
      load: (hashes) => readSessionStandings(deps.database, hashes),
    })
  }

  /** Creates a session and returns the token for the cookie. */
  async begin({ accountId, credentialVersion }: { accountId: string; credentialVersion: number }): Promise<string> {
    const token = Buffer.from(this.#deps.random.bytes(32)).toString('base64url')
    const { database } = this.#deps
    await database.session.create({
      data: { tokenHash: hashOfSession(token), accountId, credentialVersion, ...this.#lifetime() },
    })
    const surplus = await database.session.findMany({
      where: { accountId },
      orderBy: { createdAt: 'desc' },
      skip: MAX_SESSIONS,
      select: { tokenHash: true },
    })
    if (surplus.length > 0)
      await database.session.deleteMany({
        where: { accountId, tokenHash: { in: surplus.map(({ tokenHash }) => tokenHash) } },
      })
    return token
  }

  /** Returns the account of a session, or undefined when the session has ended. */
  async check(token: string): Promise<Principal | undefined> {
    const standing = await this.#standings.get(hashOfSession(token))
    if (!standing || standing.expiresAt.getTime() <= this.#nowMs()) return undefined
    const { accountId, username, credentialVersion } = standing
    return { accountId, username, credentialVersion, scopes: ALL_SCOPES, session: token }
  }

  /** Returns why a session that was accepted is no longer valid, or undefined while it is valid. */
  async lossOf(token: string): Promise<'session_expired' | 'session_ended' | undefined> {
    const standing = await this.#standings.get(hashOfSession(token))
    if (!standing) return 'session_ended'
    return standing.expiresAt.getTime() <= this.#nowMs() ? 'session_expired' : undefined
  }

  /** Extends the session. Writes at most once per day. */
  async prolong(accountId: string, token: string): Promise<void> {
    const { expiresAt } = this.#lifetime()
    const dayOld = new Date(expiresAt.getTime() - DAY_MS)
    await this.#deps.database.session.updateMany({
      where: { accountId, tokenHash: hashOfSession(token), expiresAt: { lt: dayOld } },
      data: { expiresAt },
    })
  }

  async end(accountId: string, token: string): Promise<void> {
    const tokenHash = hashOfSession(token)
    await this.#deps.database.session.deleteMany({ where: { accountId, tokenHash } })
    this.#standings.forget((_, hash) => hash === tokenHash)
  }

  /** Discards the cached sessions of an account whose password was changed, or which was removed. */
  forget(accountId: string): void {
    this.#standings.forget((standing) => standing.accountId === accountId)
  }

  #lifetime(): { createdAt: Date; expiresAt: Date } {
    const nowMs = this.#nowMs()
    return { createdAt: new Date(nowMs), expiresAt: new Date(nowMs + SESSION_SECONDS * 1000) }
  }

  #nowMs(): number {
    return this.#deps.clock.now().getTime()
  }
}

export const ALL_SCOPES: Principal['scopes'] = new Set(['all:any'] as const)

/** Returns the hash that the database stores for a session. */
export function hashOfSession(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}
