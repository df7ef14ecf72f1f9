import { timingSafeEqual } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { Logbook } from '../logs/logbook.ts'
import type { Random } from '../random.ts'
import type { Database, Statements } from '../store/database.ts'
import type { SecretBox } from '../store/secret-box.ts'
import { PAIRING_CODE, prefixOf, typedPairingCode } from './pairing-code.ts'
import type { PairingThrottle } from './pairing-throttle.ts'
import { type Registration, registerDevice } from './register-device.ts'

export interface RedeemPairingCodeNeeds {
  readonly database: Database
  readonly clock: Clock
  readonly random: Random
  readonly box: SecretBox
  readonly logbook: Logbook
  readonly throttle: PairingThrottle
}

export interface PairingTry {
  /** As typed. */
  readonly code: string
  readonly publicKey: string
  readonly name: string
  /** Of the caller. */
  readonly address: string
}

export type Pairing =
  | Registration
  | { readonly ok: false; readonly reason: 'throttled'; readonly retryAfterMs: number }
  /** Wrong, expired, used, or tried too often: which of them, nobody is told. */
  | { readonly ok: false; readonly reason: 'refused' }

/**
 * Takes a one-time code for an agent's key. A try is counted before it is looked at, in the same transaction, so that many
 * at once are counted too.
 *
 * The code is used up by the agent's key: the same agent may come again with it, for its answer may have been lost.
 */
export async function redeemPairingCode(needs: RedeemPairingCodeNeeds, asked: PairingTry): Promise<Pairing> {
  const retryAfterMs = needs.throttle.take(asked.address, needs.clock.now().getTime())
  if (retryAfterMs > 0) return { ok: false, reason: 'throttled', retryAfterMs }
  const code = typedPairingCode(asked.code)
  if (code === undefined) return { ok: false, reason: 'refused' }
  const pairing = await needs.database.$transaction((statements) => redeem(needs, statements, code, asked))
  if (pairing.ok) {
    const { accountId, deviceId } = pairing
    needs.logbook.write({ accountId, deviceId, module: 'devices', priority: 'INFO', message: 'the device was paired' })
  }
  return pairing
}

async function redeem(
  needs: RedeemPairingCodeNeeds,
  statements: Statements,
  code: string,
  { publicKey, name }: PairingTry,
): Promise<Pairing> {
  const found = await countTry(statements, prefixOf(code), needs.clock.now())
  if (found === undefined || !isSame(found.secretHash, needs.box.fingerprint(code, PAIRING_CODE)))
    return { ok: false, reason: 'refused' }
  const { accountId, usedAt } = found
  if (usedAt !== null && !(await isItsDevice(statements, accountId, publicKey))) return { ok: false, reason: 'refused' }
  const registration = await registerDevice(statements, { accountId, publicKey, name }, needs)
  if (registration.ok)
    await statements.pairingCode.update({ where: { prefix: prefixOf(code) }, data: { usedAt: needs.clock.now() } })
  return registration
}

interface Tried {
  readonly secretHash: string
  readonly accountId: string
  readonly usedAt: Date | null
}

/** The row is locked until the try is over: the next one sees what became of it. */
async function countTry(statements: Statements, prefix: string, now: Date): Promise<Tried | undefined> {
  const [tried] = await statements.$queryRaw<Tried[]>`
    UPDATE pairing_codes SET tries_left = tries_left - 1
    WHERE prefix = ${prefix} AND tries_left > 0 AND expires_at > ${now}
    RETURNING secret_hash AS "secretHash", account_id AS "accountId", used_at AS "usedAt"`
  return tried
}

async function isItsDevice(statements: Statements, accountId: string, publicKey: string): Promise<boolean> {
  return (await statements.device.findFirst({ where: { accountId, publicKey }, select: { id: true } })) !== null
}

function isSame(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(one), Buffer.from(other))
}
