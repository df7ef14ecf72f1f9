import { readAuthorization } from '../auth/authorization-header.ts'
import { refuseInsecure } from '../auth/refuse-insecure.ts'
import { unauthorised } from '../auth/unauthorised.ts'
import type { CoreDeps } from '../core-deps.ts'
import type { Authenticate } from '../http/caller.ts'
import type { Principal } from '../http/endpoint.ts'
import type { AgentConnection } from '../link/claim/agent-connection.ts'
import { LEASE_MS } from '../link/claim/lease.ts'
import type { Database } from '../store/database.ts'
import type { SecretBox } from '../store/secret-box.ts'

export interface AuthenticatePhoneDeps extends Pick<CoreDeps, 'database' | 'clock'> {
  readonly box: Pick<SecretBox, 'fingerprint'>
  readonly allowInsecureHttp: boolean
}

/** Purpose of the keyed hash of a stored token. */
export const PHONE_TOKEN = 'phone-token'

/** The shortest interval between two writes of the time of the last call, because phones call often. */
const SEEN_EVERY_MS = 10_000

/** Authenticates only with the token of a phone. After every call, the phone counts as online for a minute. */
export function authenticatePhone({ database, clock, box, allowInsecureHttp }: AuthenticatePhoneDeps): Authenticate {
  return async (caller) => {
    const credentials = readAuthorization(caller.authorization)
    if (credentials.kind !== 'bearer')
      throw unauthorised('token', 'Send the token of the phone as bearer token: register the phone to get one')
    refuseInsecure(caller, allowInsecureHttp)
    const phone = await findPhone({ database, box }, credentials.token)
    if (phone === undefined)
      throw unauthorised(
        'token',
        'The token of the phone is not valid, or the device of the phone was deleted: register the phone again',
      )
    await markSeen(database, phone, clock.now())
    return { accountId: phone.accountId, username: '', scopes: new Set<never>(), phone }
  }
}

/** Returns the connection of the phone with this token, or undefined if there is none. */
async function findPhone(
  { database, box }: Pick<AuthenticatePhoneDeps, 'database' | 'box'>,
  token: string,
): Promise<AgentConnection | undefined> {
  const device = await database.device.findFirst({
    where: { phoneTokenHash: box.fingerprint(token, PHONE_TOKEN) },
    select: { id: true, accountId: true, connEpoch: true, journalId: true, deletedAt: true },
  })
  if (device === null || device.deletedAt !== null || device.journalId === null) return undefined
  const { id: deviceId, accountId, connEpoch, journalId } = device
  return { deviceId, accountId, connEpoch: Number(connEpoch), journalId }
}

/**
 * Records that the phone was seen. Waits for a job that is ending the messages of silent devices, so that the phone
 * finds the cancels that this job records.
 */
async function markSeen(database: Database, { deviceId, accountId }: AgentConnection, now: Date): Promise<void> {
  const before = new Date(now.getTime() - SEEN_EVERY_MS)
  await database.device.updateMany({
    where: {
      id: deviceId,
      accountId,
      deletedAt: null,
      OR: [{ lastSeen: null }, { lastSeen: { lt: before } }, { lastSeen: { gt: now } }, { leaseUntil: null }],
    },
    data: { lastSeen: now, leaseUntil: new Date(now.getTime() + LEASE_MS) },
  })
}

/** The connection of the phone that called. The route requires the token of a phone. */
export function phoneOf({ phone }: Pick<Principal, 'phone'>): AgentConnection {
  if (phone === undefined) throw new Error('this route was called without the token of a phone')
  return phone
}
