import type { Pair } from '@smsgw/contract/link/frame'
import { redeemEnrolmentToken } from '../auth/enrolment-token.ts'
import { typedPairingCode } from '../devices/pairing-code.ts'
import { type RedeemPairingCodeNeeds, redeemPairingCode } from '../devices/redeem-pairing-code.ts'
import { registerDevice } from '../devices/register-device.ts'
import { isSignedBy } from './agent-key.ts'

export type Admission =
  | { readonly ok: true; readonly deviceId: string }
  /** For the agent's owner: what to do. `isForNow`: the agent may try again by itself. */
  | { readonly ok: false; readonly reason: string; readonly isForNow: boolean }

/** An agent shows a one-time code or the token of a fleet, and its key; the same key again is the same device. */
export async function admitAgent(
  needs: RedeemPairingCodeNeeds,
  { pair, text, address }: { readonly pair: Pair; readonly text: string; readonly address: string },
): Promise<Admission> {
  const { credential, publicKey, signature, name } = pair
  if (!isSignedBy(publicKey, text, signature)) return refused('its signature does not fit its key')
  if (typedPairingCode(credential) === undefined) return admitByToken(needs, pair, address)
  const pairing = await redeemPairingCode(needs, { code: credential, publicKey, name, address })
  if (pairing.ok) return pairing
  switch (pairing.reason) {
    case 'throttled':
      return throttled(pairing.retryAfterMs)
    case 'refused':
      return refused('the code is wrong, used or older than ten minutes: make a new one with POST /devices/codes')
    case 'key-in-use':
      return refused(otherAccount)
  }
}

async function admitByToken(
  needs: RedeemPairingCodeNeeds,
  { credential, publicKey, name }: Pair,
  address: string,
): Promise<Admission> {
  const { database, box, clock, logbook, throttle } = needs
  const retryAfterMs = throttle.take(address, clock.now().getTime())
  if (retryAfterMs > 0) return throttled(retryAfterMs)
  const accountId = await redeemEnrolmentToken(database, box, credential)
  if (accountId === undefined) return refused('this is neither a pairing code nor the ENROLMENT_TOKEN of this relay')
  const registration = await database.$transaction((statements) =>
    registerDevice(statements, { accountId, publicKey, name }, needs),
  )
  if (!registration.ok) return refused(otherAccount)
  const { deviceId } = registration
  logbook.write({ accountId, deviceId, module: 'devices', priority: 'INFO', message: 'the device joined by its token' })
  return registration
}

const otherAccount = 'this agent belongs to another account: remove agent-identity.json there to pair it anew'

function refused(reason: string): Admission {
  return { ok: false, reason, isForNow: false }
}

/** A site that starts its whole fleet at once is served one after the other. */
function throttled(retryAfterMs: number): Admission {
  const seconds = Math.ceil(retryAfterMs / 1000)
  return { ok: false, reason: `too many agents are paired from here: try again in ${seconds} s`, isForNow: true }
}
