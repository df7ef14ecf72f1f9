import { AuthenticationError } from '../errors.ts'
import type { TokenResponse } from '../openapi.ts'
import { base64Of, utf8 } from './web-crypto.ts'

/**
 * Username and password of an account, an API key, an access token, or a pair of tokens that is refreshed
 * automatically.
 */
export type Credentials =
  | { readonly username: string; readonly password: string }
  | { readonly apiKey: string }
  | { readonly accessToken: string }
  | TokenPair

export interface TokenPair {
  readonly accessToken: string
  readonly refreshToken: string
  /** The time at which the access token expires: `expires_at` of the answer that issued it. */
  readonly expiresAt?: string | undefined
  /**
   * Receives each new pair of tokens. Store the pair before the function returns, or before its promise resolves. The
   * old refresh token works only once. If it is used a second time, all tokens that were issued with it are revoked.
   */
  readonly onRefresh: (pair: { accessToken: string; refreshToken: string; expiresAt: string }) => void | Promise<void>
}

/** Sends one request, without repeating it. */
export type Refresh = (refreshToken: string) => Promise<TokenResponse>

/** A pair is refreshed this long before its access token expires, because clocks differ. */
const EARLY_MS = 30_000

/** Returns the `Authorization` header of each request, and refreshes a pair of tokens once for all waiting requests. */
export class Authentication {
  readonly #refresh: Refresh
  #credentials: Credentials
  #refreshing: Promise<void> | undefined

  constructor(credentials: Credentials, refresh: Refresh) {
    this.#credentials = credentials
    this.#refresh = refresh
  }

  async header(): Promise<string> {
    const credentials = this.#credentials
    if ('refreshToken' in credentials && Date.parse(credentials.expiresAt ?? '') - EARLY_MS < Date.now())
      await this.renew(`Bearer ${credentials.accessToken}`)
    return headerOf(this.#credentials)
  }

  /**
   * Gets a new pair of tokens. `refused` is the `Authorization` header that was answered with 401 or is about to
   * expire. Returns false if the credentials cannot be refreshed.
   */
  async renew(refused: string): Promise<boolean> {
    if (!('refreshToken' in this.#credentials)) return false
    // Another request has already refreshed the pair.
    if (headerOf(this.#credentials) !== refused) return true
    this.#refreshing ??= this.#replace(this.#credentials).finally(() => {
      this.#refreshing = undefined
    })
    await this.#refreshing
    return true
  }

  async #replace(pair: TokenPair): Promise<void> {
    const { accessToken, refreshToken, expiresAt } = await this.#refresh(pair.refreshToken)
    this.#credentials = { ...pair, accessToken, refreshToken, expiresAt }
    await pair.onRefresh({ accessToken, refreshToken, expiresAt })
  }
}

function headerOf(credentials: Credentials): string {
  if ('password' in credentials) return `Basic ${base64Of(utf8(`${credentials.username}:${credentials.password}`))}`
  return `Bearer ${'apiKey' in credentials ? credentials.apiKey : credentials.accessToken}`
}

/** Refuses credentials that no server can accept, before they are sent. */
export function checkCredentials(credentials: Credentials): void {
  const problem = problemOf(credentials)
  if (problem !== undefined) throw new AuthenticationError({ status: 401, message: problem })
}

function problemOf(credentials: Credentials): string | undefined {
  if ('password' in credentials) {
    if (!credentials.username || !credentials.password) return 'username and password must not be empty'
    return credentials.username.includes(':') ? 'username must not contain a colon' : undefined
  }
  const secret = 'apiKey' in credentials ? credentials.apiKey : credentials.accessToken
  // Checks the characters, because the value becomes a header.
  return /^[\x21-\x7e]+$/.test(secret ?? '') ? undefined : 'the key or token is empty or contains spaces'
}
