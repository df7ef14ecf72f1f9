import { createHash } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import type { Principal } from '../../http/endpoint.ts'
import type { Random } from '../../random.ts'
import type { Database } from '../../store/database.ts'
import { FreshLookup } from '../../store/fresh-lookup.ts'

/** Counted anew each time the page is opened. */
export const SESSION_SECONDS = 30 * 86_400
const DAY_MS = 86_400_000
/** Of one account; a script that signs in each time does not fill the table. */
const MOST_SESSIONS = 100

interface SessionLoginNeeds {
  readonly database: Database
  readonly clock: Clock
  readonly random: Random
}

interface SessionStanding {
  readonly accountId: string
  readonly username: string
  readonly credentialVersion: number
  readonly expiresAt: Date
}

/**
 * Browsers that have signed in. The browser holds 256 random bits, the database their hash. A session belongs to one
 * version of the account's password: the next one ends it, on every replica within two seconds (see FreshLookup).
 */
export class SessionLogin {
  readonly #needs: SessionLoginNeeds
  readonly #standings: FreshLookup<SessionStanding>

  constructor(needs: SessionLoginNeeds) {
    this.#needs = needs
    this.#standings = new FreshLookup({
      nowMs: () => this.#nowMs(),
      size: 10_000,
      load: (hashes) => loadStandings(needs.database, hashes),
    })
  }

  /** What the browser is to keep. */
  async begin({ accountId, credentialVersion }: { accountId: string; credentialVersion: number }): Promise<string> {
    const token = Buffer.from(this.#needs.random.bytes(32)).toString('base64url')
    const { database } = this.#needs
    await database.session.create({
      data: { tokenHash: hashOf(token), accountId, credentialVersion, ...this.#lifetime() },
    })
    const tooMany = await database.session.findMany({
      where: { accountId },
      orderBy: { createdAt: 'desc' },
      skip: MOST_SESSIONS,
      select: { tokenHash: true },
    })
    if (tooMany.length > 0)
      await database.session.deleteMany({
        where: { accountId, tokenHash: { in: tooMany.map(({ tokenHash }) => tokenHash) } },
      })
    return token
  }

  /** Undefined when it has ended. */
  async check(token: string): Promise<Principal | undefined> {
    const standing = await this.#standings.get(hashOf(token))
    if (!standing || standing.expiresAt.getTime() <= this.#nowMs()) return undefined
    const { accountId, username, credentialVersion } = standing
    return { accountId, username, credentialVersion, scopes: EVERYTHING, session: token }
  }

  /** It lasts from now on; written once a day at most. */
  async prolong(accountId: string, token: string): Promise<void> {
    const { expiresAt } = this.#lifetime()
    const dayOld = new Date(expiresAt.getTime() - DAY_MS)
    await this.#needs.database.session.updateMany({
      where: { accountId, tokenHash: hashOf(token), expiresAt: { lt: dayOld } },
      data: { expiresAt },
    })
  }

  async end(accountId: string, token: string): Promise<void> {
    const tokenHash = hashOf(token)
    await this.#needs.database.session.deleteMany({ where: { accountId, tokenHash } })
    this.#standings.forget((_, hash) => hash === tokenHash)
  }

  /** All of the account are looked up again: its password has just changed, or it is gone. */
  forget(accountId: string): void {
    this.#standings.forget((standing) => standing.accountId === accountId)
  }

  #lifetime(): { createdAt: Date; expiresAt: Date } {
    const nowMs = this.#nowMs()
    return { createdAt: new Date(nowMs), expiresAt: new Date(nowMs + SESSION_SECONDS * 1000) }
  }

  #nowMs(): number {
    return this.#needs.clock.now().getTime()
  }
}

const EVERYTHING: Principal['scopes'] = new Set(['all:any'] as const)

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}

async function loadStandings(database: Database, hashes: string[]): Promise<ReadonlyMap<string, SessionStanding>> {
  // One text however many there are: the statement is prepared once.
  const rows = await database.$queryRaw<(SessionStanding & { readonly tokenHash: string })[]>`
    SELECT s.token_hash AS "tokenHash", s.account_id AS "accountId", a.username,
           s.credential_version AS "credentialVersion", s.expires_at AS "expiresAt"
      FROM sessions s JOIN accounts a ON a.id = s.account_id AND a.credential_version = s.credential_version
     WHERE s.token_hash = ANY(${hashes})`
  return new Map(rows.map(({ tokenHash, ...standing }) => [tokenHash, standing]))
}
