import {
  type ApiKeyRequest,
  type ApiKeyWithSecret,
  apiKey,
  apiKeyChange,
  apiKeyRequest,
  apiKeyWithSecret,
  type KeyLimits,
  keyLimits,
} from '@smsgw/contract/access/api-key'
import type { Scope } from '@smsgw/contract/access/scopes'
import { idParams } from '@smsgw/contract/fields/ids'
import { z } from 'zod'
import type { CoreDeps } from '../../core-deps.ts'
import { type Endpoint, endpoint, type Principal } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors/api-error.ts'
import { fieldError, validationError } from '../../http/errors/validation-error.ts'
import type { Logbook } from '../../logs/logbook.ts'
import type { Statements } from '../../store/database.ts'
import type { ApiKey as KeyRow } from '../../store/generated/client.ts'
import type { SecretBox } from '../../store/secret-box.ts'
import { refuseEscalation } from '../tokens/token-endpoints.ts'
import { keyAnswer, keyAnswers } from './key-answer.ts'
import { API_KEY } from './key-login.ts'
import { newKey, newKeyId } from './key-text.ts'
import { type KeyCaller, lockAccountForKeys } from './lock-account-for-keys-statement.ts'

export interface KeyDeps extends Pick<CoreDeps, 'database' | 'clock' | 'random'> {
  readonly box: Pick<SecretBox, 'fingerprint'>
}

export interface KeyEndpointDeps extends KeyDeps {
  readonly hints: { accessChanged(accountId: string): void }
  readonly logbook: Logbook
}

/** The largest number of keys per account. Revoked keys do not count. */
const MOST_KEYS = 200

/** Lists the keys of the account, newest first, including revoked and expired keys until they are deleted. */
export function listKeys({ database, clock }: KeyDeps): Endpoint {
  return endpoint({
    answers: { 200: z.array(apiKey) },
    async handle({ principal: { accountId } }) {
      return { status: 200, body: await keysOf(database, accountId, clock.now()) }
    },
  })
}

export async function keysOf(database: Statements, accountId: string, now: Date) {
  const keys = await database.apiKey.findMany({
    where: { accountId },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
  })
  return await keyAnswers(database, keys, now)
}

export function getKey({ database, clock }: KeyDeps): Endpoint {
  return endpoint({
    params: idParams,
    answers: { 200: apiKey },
    async handle({ principal: { accountId }, params: { id } }) {
      const key = await findKey(database, accountId, id)
      const [body] = await keyAnswers(database, [key], clock.now())
      return { status: 200, body }
    },
  })
}

export function createKey(deps: KeyEndpointDeps): Endpoint {
  return endpoint({
    body: apiKeyRequest,
    answers: { 201: apiKeyWithSecret },
    answerHeaders: { Location: 'Path of the key' },
    errors: [409],
    async handle({ principal, body }) {
      refuseTokens(principal)
      refuseEscalation(principal, body.scopes)
      const created = await insertKey(deps, principal, body)
      logKeyChange(deps, principal, 'API key created', created)
      return { status: 201, body: created, headers: { Location: `/3rdparty/v1/keys/${created.id}` } }
    },
  })
}

/** Creates a key for an endpoint or the command line. */
export async function insertKey(
  { database, box, clock, random }: KeyDeps,
  caller: KeyCaller,
  { name, scopes, limits = {}, expiresAt }: ApiKeyRequest,
): Promise<ApiKeyWithSecret> {
  const now = clock.now()
  refuseUnlimiting(scopes, limits)
  if (expiresAt && expiresAt <= now)
    throw fieldError('expiresAt', {
      reason: 'not_in_future',
      message: 'must be in the future: leave it out for a key without expiry',
    })
  const id = newKeyId(random)
  const key = newKey(random, id)
  const row = await database.$transaction(async (statements) => {
    await lockAccountForKeys(statements, caller)
    await refuseUnknownDevices(statements, caller.accountId, limits)
    if ((await statements.apiKey.count({ where: { accountId: caller.accountId, revokedAt: null } })) >= MOST_KEYS)
      throw new ApiError(409, `The account already has ${MOST_KEYS} API keys, the maximum: revoke an unused key`, {
        reason: 'too_many_keys',
        values: { maximum: MOST_KEYS },
      })
    return await statements.apiKey.create({
      data: {
        id,
        accountId: caller.accountId,
        name,
        scopes: [...new Set(scopes)],
        limits: storedLimits(limits),
        secretHash: box.fingerprint(key, API_KEY),
        createdAt: now,
        createdByKeyId: caller.key?.id ?? null,
        expiresAt: expiresAt ?? null,
      },
    })
  })
  return { ...keyAnswer(row, 0, now), key }
}

/** Changes the name or the limits of a key. The limits apply on every relay within two seconds. */
export function changeKey(deps: KeyEndpointDeps): Endpoint {
  const { database, clock, hints } = deps
  return endpoint({
    params: idParams,
    body: apiKeyChange,
    answers: { 200: apiKey },
    errors: [409],
    async handle({ principal, params: { id }, body: { name, limits } }) {
      const { accountId } = principal
      const present = await findKey(database, accountId, id)
      refuseTokens(principal)
      refuseEscalation(principal, present.scopes)
      if (limits) refuseUnlimiting(present.scopes as Scope[], limits)
      const changed = await database.$transaction(async (statements) => {
        await lockAccountForKeys(statements, principal)
        if (limits) await refuseUnknownDevices(statements, accountId, limits, keyLimits.parse(present.limits))
        await statements.apiKey.updateMany({
          where: { id, accountId, revokedAt: null },
          data: { ...(name !== undefined && { name }), ...(limits && { limits: storedLimits(limits) }) },
        })
        return await findKey(statements, accountId, id)
      })
      if (changed.revokedAt !== null) throw revokedKey()
      hints.accessChanged(accountId)
      logKeyChange(deps, principal, 'API key changed', changed)
      const [body] = await keyAnswers(database, [changed], clock.now())
      return { status: 200, body }
    },
  })
}

export async function findKey(statements: Statements, accountId: string, id: string): Promise<KeyRow> {
  const key = await statements.apiKey.findFirst({ where: { id, accountId } })
  if (key === null) throw new ApiError(404, 'No API key has this id')
  return key
}

export function revokedKey(): ApiError {
  return new ApiError(409, 'The API key is revoked: create a new one', { reason: 'key_revoked' })
}

/**
 * A token must not create keys: a key would outlive the token, so the holder of the token could extend its own access.
 */
export function refuseTokens({ tokenId }: Principal): void {
  if (tokenId !== undefined)
    throw new ApiError(403, 'A token may not create, change or rotate API keys: use the password, or sign in')
}

/**
 * A key whose messages need approval may not have these scopes, because they allow it to send messages or spend money
 * without approval.
 */
const WITHOUT_APPROVAL: readonly Scope[] = ['all:any', 'messages:approve', 'webhooks:write', 'devices:write']

/** Refuses a key whose scopes would let it avoid or remove its own limits. */
function refuseUnlimiting(scopes: readonly Scope[], limits: KeyLimits): void {
  const around = limits.approval && WITHOUT_APPROVAL.find((scope) => scopes.includes(scope))
  if (around)
    throw fieldError('limits.approval', {
      reason: 'approval_with_scope',
      values: { scope: around },
      message: `cannot be combined with the scope ${around}, which could avoid the approval`,
    })
  const isLimited = Object.values(limits).some((limit) => limit !== undefined)
  if (isLimited && scopes.includes('keys:manage'))
    throw fieldError('limits', {
      reason: 'limits_with_keys_manage',
      message: 'cannot be combined with the scope keys:manage, because the key could then remove its limits',
    })
}

/**
 * Refuses devices that the account does not have. A changed key may keep a device that was deleted later, so that its
 * name and its other limits can still be changed.
 */
async function refuseUnknownDevices(
  statements: Statements,
  accountId: string,
  { sims = [] }: KeyLimits,
  present: KeyLimits = {},
): Promise<void> {
  if (sims.length === 0) return
  const ids = sims.map(({ deviceId }) => deviceId)
  const devices = await statements.device.findMany({
    where: { accountId, deletedAt: null, id: { in: ids } },
    select: { id: true },
  })
  const known = new Set([...devices, ...(present.sims ?? []).map(({ deviceId: id }) => ({ id }))].map(({ id }) => id))
  const unknown = ids.flatMap((id, at) => (known.has(id) ? [] : [{ id, at }]))
  if (unknown.length === 0) return
  throw validationError(
    unknown.map(({ id, at }) => ({
      path: `limits.sims[${at}].deviceId`,
      reason: 'unknown_device',
      message: `${JSON.stringify(id)} is not a device of this account: use an id from GET /devices`,
    })),
    'body',
  )
}

function storedLimits({ sims, recipients, recipientsPerDay, approval }: KeyLimits) {
  return {
    ...(sims && { sims: sims.map(({ deviceId, simNumber }) => ({ deviceId, ...(simNumber && { simNumber }) })) }),
    ...(recipients && { recipients: [...recipients] }),
    ...(recipientsPerDay !== undefined && { recipientsPerDay }),
    ...(approval && { approval }),
  }
}

/** Writes to the log of the account how a key was changed and who changed it. Never writes the key itself. */
export function logKeyChange(
  { logbook }: Pick<KeyEndpointDeps, 'logbook'>,
  { accountId, key: by }: Principal,
  message: string,
  { id, name }: Pick<KeyRow, 'id' | 'name'>,
): void {
  const context = { keyId: id, name, ...(by && { byKeyId: by.id }) }
  logbook.write({ accountId, module: 'auth', priority: 'INFO', message, context })
}
