// The secrets of a subscription, encrypted with SERVER_SECRET.
import type { SecretBox } from '../store/secret-box.ts'

const ENDPOINT = 'push-endpoint'
const AUTH = 'push-auth'

/** The columns of a subscription that hold its secrets. */
export function sealSubscription(
  box: SecretBox,
  endpoint: string,
  keys: { readonly p256dh: string; readonly auth: string },
) {
  return {
    endpointHash: box.fingerprint(endpoint, ENDPOINT),
    endpointSealed: box.seal(endpoint, ENDPOINT),
    p256dh: keys.p256dh,
    authSealed: box.seal(keys.auth, AUTH),
  }
}

export function openEndpoint(box: SecretBox, sealed: string): string {
  return box.open(sealed, ENDPOINT)
}

export function openAuth(box: SecretBox, sealed: string): string {
  return box.open(sealed, AUTH)
}
