import { timingSafeEqual } from 'node:crypto'
import type { CoreDeps } from '../../core-deps.ts'
import { addressBlock } from '../../limits/address-block.ts'
import { TokenBuckets } from '../../limits/token-buckets.ts'
import type { Statements } from '../../store/database.ts'
import { countPairingTry } from './count-pairing-try-statement.ts'
import { PAIRING_CODE, prefixOf, typedPairingCode } from './pairing-code.ts'
import { type DeviceRegistration, registerDevice } from './register-device.ts'

export interface RedeemPairingCodeDeps extends CoreDeps {
  readonly throttle: PairingThrottle
}

export interface PairingTry {
  /** The code as a person typed it. */
  readonly code: string
  readonly publicKey: string
  readonly name: string
  /** Address of the caller. */
  readonly address: string
}

export type RedeemedCode =
  | DeviceRegistration
  | { readonly ok: false; readonly reason: 'throttled'; readonly retryAfterMs: number }
  /**
   * The code is wrong, expired, used or tried too often, or its token was revoked. The caller is not informed which of
   * these reasons applies.
   */
  | { readonly ok: false; readonly reason: 'refused' }

/**
 * Redeems a one-time code for the key of an agent. The attempt is counted before the code is compared, in the same
 * transaction, so that all concurrent attempts are counted.
 *
 * A used code stays valid for the key that redeemed it, so that an agent can send it again if the first answer was
 * lost.
 */
export async function redeemPairingCode(deps: RedeemPairingCodeDeps, asked: PairingTry): Promise<RedeemedCode> {
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
): Promise<RedeemedCode> {
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

/** Limits pairing attempts per address and in total. Attempts per code have another limit. */
export class PairingThrottle {
  readonly #ofAddress = new TokenBuckets({ capacity: 10, refillMs: 6_000, keys: 10_000 })
  readonly #ofAll = new TokenBuckets({ capacity: 200, refillMs: 100, keys: 1 })

  /**
   * Counts an attempt and returns 0. If the limit is reached, returns the number of milliseconds until the next
   * attempt.
   */
  take(address: string, nowMs: number): number {
    return this.#ofAddress.take(addressBlock(address), nowMs) || this.#ofAll.take('all', nowMs)
  }
}
