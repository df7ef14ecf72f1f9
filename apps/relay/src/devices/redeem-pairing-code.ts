import { timingSafeEqual } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { Logbook } from '../logs/logbook.ts'
import type { Random } from '../random.ts'
import type { Database, Statements } from '../store/database.ts'
import type { SecretBox } from '../store/secret-box.ts'
import { countPairingTry } from './count-pairing-try-statement.ts'
import { PAIRING_CODE, prefixOf, typedPairingCode } from './pairing-code.ts'
import type { PairingThrottle } from './pairing-throttle.ts'
import { type Registration, registerDevice } from './register-device.ts'

export interface RedeemPairingCodeDeps {
  readonly database: Database
  readonly clock: Clock
  readonly random: Random
  readonly box: SecretBox
  readonly logbook: Logbook
  readonly throttle: PairingThrottle
}

export interface PairingTry {
  /** The code as typed. */
  readonly code: string
  readonly publicKey: string
  readonly name: string
  /** Address of the caller. */
  readonly address: string
}

export type Pairing =
  | Registration
  | { readonly ok: false; readonly reason: 'throttled'; readonly retryAfterMs: number }
  /** Wrong, expired, used, tried too often, or its token was revoked; the caller does not learn which. */
  | { readonly ok: false; readonly reason: 'refused' }

/**
 * Redeems a one-time code for the key of an agent. The attempt is counted before the code is compared, in the same
 * transaction, so that concurrent attempts are all counted.
 *
 * A code is bound to the key that redeemed it: the same agent may send it again, since the first answer may have been lost.
 */
export async function redeemPairingCode(deps: RedeemPairingCodeDeps, asked: PairingTry): Promise<Pairing> {
  const retryAfterMs = deps.throttle.take(asked.address, deps.clock.now().getTime())
  if (retryAfterMs > 0) return { ok: false, reason: 'throttled', retryAfterMs }
  const code = typedPairingCode(asked.code)
  if (code === undefined) return { ok: false, reason: 'refused' }
  const pairing = await deps.database.$transaction((statements) => redeem(deps, statements, code, asked))
  if (pairing.ok) {
    const { accountId, deviceId } = pairing
    deps.logbook.write({ accountId, deviceId, module: 'devices', priority: 'INFO', message: 'device paired' })
  }
  return pairing
}

async function redeem(
  deps: RedeemPairingCodeDeps,
  statements: Statements,
  code: string,
  { publicKey, name }: PairingTry,
): Promise<Pairing> {
  const found = await countPairingTry(statements, prefixOf(code), deps.clock.now())
  if (found === undefined || !isSame(found.secretHash, deps.box.fingerprint(code, PAIRING_CODE)))
    return { ok: false, reason: 'refused' }
  const { accountId, usedAt } = found
  if (usedAt !== null && !(await isItsDevice(statements, accountId, publicKey))) return { ok: false, reason: 'refused' }
  const registration = await registerDevice(statements, { accountId, publicKey, name }, deps)
  if (registration.ok)
    await statements.pairingCode.update({ where: { prefix: prefixOf(code) }, data: { usedAt: deps.clock.now() } })
  return registration
}

async function isItsDevice(statements: Statements, accountId: string, publicKey: string): Promise<boolean> {
  return (await statements.device.findFirst({ where: { accountId, publicKey }, select: { id: true } })) !== null
}

function isSame(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(one), Buffer.from(other))
}
