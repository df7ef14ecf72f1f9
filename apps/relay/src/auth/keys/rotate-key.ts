import { type ApiKeyWithSecret, apiKeyRotation, apiKeyWithSecret } from '@smsgw/contract/access/api-key'
import { idParams } from '@smsgw/contract/fields/ids'
import { type Endpoint, endpoint } from '../../http/endpoint.ts'
import type { Statements } from '../../store/database.ts'
import { refuseEscalation } from '../tokens/token-endpoints.ts'
import { keyAnswers } from './key-answer.ts'
import { findKey, type KeyDeps, type KeyEndpointDeps, logKeyChange, refuseTokens, revokedKey } from './key-endpoints.ts'
import { API_KEY } from './key-login.ts'
import { newKey } from './key-text.ts'
import { type KeyCaller, lockAccountForKeys } from './lock-account-for-keys-statement.ts'

/** Replaces a key. The previous key is valid for the overlap, so that programs can be changed one after the other. */
export function rotateKey(deps: KeyEndpointDeps): Endpoint {
  return endpoint({
    params: idParams,
    body: apiKeyRotation,
    answers: { 200: apiKeyWithSecret },
    errors: [409],
    async handle({ principal, params: { id }, body: { overlapSeconds } }) {
      const present = await findKey(deps.database, principal.accountId, id)
      refuseTokens(principal)
      refuseEscalation(principal, present.scopes)
      const body = await replaceKey(deps, principal, id, overlapSeconds)
      deps.hints.accessChanged(principal.accountId)
      logKeyChange(deps, principal, 'API key rotated', body)
      return { status: 200, body }
    },
  })
}

/**
 * Only the key that this rotation replaces stays valid for the overlap. A key that an earlier rotation replaced becomes
 * invalid at once.
 */
export function replaceKey(
  { database, box, clock, random }: KeyDeps,
  caller: KeyCaller,
  id: string,
  overlapSeconds: number,
): Promise<ApiKeyWithSecret> {
  return database.$transaction(async (statements) => {
    await lockAccountForKeys(statements, caller)
    const { secretHash, revokedAt } = await findKey(statements, caller.accountId, id)
    if (revokedAt !== null) throw revokedKey()
    const now = clock.now()
    const key = newKey(random, id)
    const row = await statements.apiKey.update({
      where: { id },
      data: {
        secretHash: box.fingerprint(key, API_KEY),
        rotatedAt: now,
        ...(overlapSeconds > 0
          ? { previousSecretHash: secretHash, previousUntil: new Date(now.getTime() + overlapSeconds * 1000) }
          : { previousSecretHash: null, previousUntil: null }),
      },
    })
    const [answer] = await keyAnswers(statements, [row], now)
    return { ...answer, key } as ApiKeyWithSecret
  })
}

/** Revokes a key and the tokens that it issued. A key that is already revoked stays as it is. */
export function revokeKey(deps: KeyEndpointDeps): Endpoint {
  const { database, clock, hints } = deps
  return endpoint({
    params: idParams,
    answers: { 204: null },
    async handle({ principal, params: { id } }) {
      const { accountId } = principal
      await findKey(database, accountId, id)
      const key = await database.$transaction((statements) => endKey(statements, principal, id, clock.now()))
      if (!key) return { status: 204 }
      hints.accessChanged(accountId)
      logKeyChange(deps, principal, 'API key revoked', key)
      return { status: 204 }
    },
  })
}

/**
 * Revokes a key and the tokens that it issued. Returns undefined if there was no such key to revoke. First locks the
 * account, so that no token can be issued in the meantime.
 */
export async function endKey(
  statements: Statements,
  caller: KeyCaller,
  id: string,
  at: Date,
): Promise<{ readonly id: string; readonly name: string } | undefined> {
  await lockAccountForKeys(statements, caller)
  const { accountId } = caller
  const where = { id, accountId, revokedAt: null }
  const key = await statements.apiKey.findFirst({ where, select: { id: true, name: true } })
  if (key === null) return undefined
  await statements.apiKey.updateMany({ where, data: { revokedAt: at } })
  await statements.tokenFamily.updateMany({ where: { accountId, keyId: id, revokedAt: null }, data: { revokedAt: at } })
  return key
}
