import type { Pair } from '@smsgw/contract/link/frame'
import { redeemEnrolmentToken } from '../auth/enrolment-token.ts'
import { typedPairingCode } from '../devices/pairing-code.ts'
import { type RedeemPairingCodeNeeds, redeemPairingCode } from '../devices/redeem-pairing-code.ts'
import { registerDevice } from '../devices/register-device.ts'
import { isSignedBy } from './agent-key.ts'

export type Admission =
  | { readonly ok: true; readonly deviceId: string }
  /** For the agent's owner: what to do. */
  | { readonly ok: false; readonly reason: string }

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
      return refused(`too many tries: try again in ${Math.ceil(pairing.retryAfterMs / 1000)} s`)
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
  if (retryAfterMs > 0) return refused(`too many tries: try again in ${Math.ceil(retryAfterMs / 1000)} s`)
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
  return { ok: false, reason }
}
