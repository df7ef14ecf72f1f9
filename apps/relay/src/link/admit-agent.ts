import { createPublicKey, verify } from 'node:crypto'
import type { Pair } from '@smsgw/contract/link/frame'
import type { RelayInput } from '@smsgw/link/relay/state'
import { redeemEnrolmentToken } from '../auth/enrolment-token.ts'
import { typedPairingCode } from '../devices/pairing/pairing-code.ts'
import { type RedeemPairingCodeDeps, redeemPairingCode } from '../devices/pairing/redeem-pairing-code.ts'
import { registerDevice } from '../devices/pairing/register-device.ts'
import type { AdmissionReads } from './admission-reads.ts'

export type Admission =
  | { readonly ok: true; readonly deviceId: string }
  /**
   * The refusal of an agent. `reason` says what its owner can do. If `isTemporary` is true, the agent retries
   * automatically.
   */
  | { readonly ok: false; readonly reason: string; readonly isTemporary: boolean }

/** Pairs an agent that has a one-time code or an enrolment token. The same key always results in the same device. */
export async function admitAgent(
  deps: RedeemPairingCodeDeps,
  { pair, text, address }: { readonly pair: Pair; readonly text: string; readonly address: string },
): Promise<Admission> {
  const { credential, publicKey, signature, name } = pair
  if (!isSignedBy(publicKey, text, signature)) return refused('the signature does not match the public key')
  if (typedPairingCode(credential) === undefined) return admitByToken(deps, pair, address)
  const pairing = await redeemPairingCode(deps, { code: credential, publicKey, name, address })
  if (pairing.ok) return pairing
  switch (pairing.reason) {
    case 'throttled':
      return throttled(pairing.retryAfterMs)
    case 'refused':
      return refused('the pairing code is wrong, used, expired or revoked: create a new one with POST /devices/codes')
    case 'key-in-use':
      return refused(otherAccount)
  }
}

async function admitByToken(
  deps: RedeemPairingCodeDeps,
  { credential, publicKey, name }: Pair,
  address: string,
): Promise<Admission> {
  const { database, box, clock, logbook, throttle } = deps
  const retryAfterMs = throttle.take(address, clock.now().getTime())
  if (retryAfterMs > 0) return throttled(retryAfterMs)
  const accountId = await redeemEnrolmentToken(database, box, credential)
  if (accountId === undefined)
    return refused('the credential is neither a pairing code nor the ENROLMENT_TOKEN of this relay')
  const registration = await database.$transaction((statements) =>
    registerDevice(statements, { accountId, publicKey, name }, deps),
  )
  if (!registration.ok) return refused(otherAccount)
  const { deviceId } = registration
  logbook.write({
    accountId,
    deviceId,
    module: 'devices',
    priority: 'INFO',
    message: 'the device was paired with the enrolment token',
  })
  return registration
}

const otherAccount = 'this agent belongs to another account: remove its agent-identity.json and pair it again'

function refused(reason: string): Admission {
  return { ok: false, reason, isTemporary: false }
}

/**
 * Returns a temporary refusal. If all agents of a site start at the same time, they retry and are paired one after the
 * other.
 */
function throttled(retryAfterMs: number): Admission {
  const seconds = Math.ceil(retryAfterMs / 1000)
  return {
    ok: false,
    reason: `too many agents are being paired from this address: try again in ${seconds} s`,
    isTemporary: true,
  }
}

type AgentAuthentication =
  | { readonly ok: true; readonly accountId: string }
  | { readonly ok: false; readonly refusal: RelayInput }

/** Checks a paired agent's signature of the text, which contains the nonce of this connection. */
export async function authenticateAgent(
  reads: Pick<AdmissionReads, 'deviceKey'>,
  { deviceId, text, signature }: { readonly deviceId: string; readonly text: string; readonly signature: string },
): Promise<AgentAuthentication> {
  const device = await reads.deviceKey(deviceId)
  // The key was deleted with the device. Only a caller that has the device id can learn that the device was deleted.
  if (device?.isDeleted) return { ok: false, refusal: REVOKED }
  // Gives the same answer for a wrong signature and for an unknown device, so that the answer does not reveal which
  // devices exist.
  if (!device?.publicKey || !isSignedBy(device.publicKey, text, signature)) {
    const reason = 'no device of this relay has this key: pair the agent again'
    return { ok: false, refusal: { kind: 'refused', why: 'unauthenticated', reason } }
  }
  return { ok: true, accountId: device.accountId }
}

export const REVOKED: RelayInput = {
  kind: 'refused',
  why: 'revoked',
  reason: 'this device was deleted: pair the agent again',
}

/** Verifies an Ed25519 signature of the text with a raw public key in base64. */
function isSignedBy(publicKey: string, text: string, signature: string): boolean {
  const raw = Buffer.from(publicKey, 'base64')
  if (raw.length !== RAW_KEY_BYTES) return false
  const key = createPublicKey({ key: Buffer.concat([SPKI_HEAD, raw]), format: 'der', type: 'spki' })
  return verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64'))
}

const RAW_KEY_BYTES = 32
/** The DER prefix of a raw Ed25519 key (RFC 8410). */
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex')
