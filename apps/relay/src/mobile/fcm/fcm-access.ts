import { parsedJson } from '@smsgw/contract/fields/json'
import { SignJWT } from 'jose'
import { z } from 'zod'
import type { Clock } from '../../clock.ts'
import type { GuardedClient } from '../../webhooks/delivery/client/guarded-client.ts'
import type { FcmCredentials } from './fcm-credentials.ts'

export type FcmToken =
  | { readonly kind: 'granted'; readonly token: string }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'broken-off' }

const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging'
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
/** The longest lifetime that Google accepts. */
const ASSERTION_SECONDS = 3_600
/** A token is replaced this long before it expires, so that it does not expire during a request to Google. */
const EARLY_MS = 300_000
/** After a failure, no token is requested for this time, even if notices are waiting. */
const PAUSE_MS = 10_000
const MOST_BYTES = 16_384

const grant = z.object({ access_token: z.string().regex(/^[\x21-\x7e]+$/), expires_in: z.number().positive() })
const refusal = z.object({ error: z.string().regex(/^[a-z_]{1,40}$/) })

export interface FcmAccessDeps {
  readonly credentials: FcmCredentials
  readonly client: Pick<GuardedClient, 'post'>
  readonly clock: Clock
}

/**
 * Gets access tokens for FCM with the key of the operator (RFC 7523). Each token is kept until shortly before it
 * expires.
 */
export class FcmAccess {
  readonly #deps: FcmAccessDeps
  #access: FcmToken = { kind: 'failed', reason: 'no access token requested' }
  #validUntilMs = 0
  #request: Promise<FcmToken> | undefined

  constructor(deps: FcmAccessDeps) {
    this.#deps = deps
  }

  /** All callers that wait for a token share one request. */
  async get(): Promise<FcmToken> {
    if (this.#deps.clock.now().getTime() < this.#validUntilMs) return this.#access
    this.#request ??= this.#renew().finally(() => {
      this.#request = undefined
    })
    return await this.#request
  }

  /** Must be called when FCM refuses the token. */
  forget(token: string): void {
    if (this.#access.kind === 'granted' && this.#access.token === token) this.#validUntilMs = 0
  }

  async #renew(): Promise<FcmToken> {
    const { clock } = this.#deps
    const { access, validMs } = await this.#exchange()
    this.#access = access
    this.#validUntilMs = clock.now().getTime() + validMs
    return access
  }

  async #exchange(): Promise<{ readonly access: FcmToken; readonly validMs: number }> {
    const { client, credentials } = this.#deps
    const body = new URLSearchParams({ grant_type: GRANT_TYPE, assertion: await this.#assertion() }).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }
    const outcome = await client.post(credentials.tokenUri, headers, body, MOST_BYTES)
    if (outcome.kind === 'broken-off') return { access: outcome, validMs: 0 }
    if (outcome.kind === 'failed') return failed(`no access token: ${outcome.error}`)
    const { status, excerpt } = outcome.reply
    const granted = grant.safeParse(parsedJson(excerpt))
    if (status === 200 && granted.success) {
      const { access_token: token, expires_in: seconds } = granted.data
      return { access: { kind: 'granted', token }, validMs: Math.max(PAUSE_MS, seconds * 1000 - EARLY_MS) }
    }
    const refused = refusal.safeParse(parsedJson(excerpt))
    return failed(`no access token: Google answered ${status}${refused.success ? ` ${refused.data.error}` : ''}`)
  }

  async #assertion(): Promise<string> {
    const { credentials, clock } = this.#deps
    const nowSeconds = Math.floor(clock.now().getTime() / 1000)
    return await new SignJWT({ scope: SCOPE })
      .setProtectedHeader({
        ...{ alg: 'RS256', typ: 'JWT' },
        ...(credentials.keyId !== undefined && { kid: credentials.keyId }),
      })
      .setIssuer(credentials.email)
      .setAudience(credentials.tokenUri)
      .setIssuedAt(nowSeconds)
      .setExpirationTime(nowSeconds + ASSERTION_SECONDS)
      .sign(credentials.privateKey)
  }
}

function failed(reason: string): { readonly access: FcmToken; readonly validMs: number } {
  return { access: { kind: 'failed', reason }, validMs: PAUSE_MS }
}
