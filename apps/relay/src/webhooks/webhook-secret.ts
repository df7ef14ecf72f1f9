import type { Random } from '../random.ts'
import type { SecretBox } from '../store/secret-box.ts'

const OCTETS = 32
const PURPOSE = 'webhook-secret'

/** Creates a secret in the format of Standard Webhooks. */
export function newWebhookSecret(random: Random): string {
  return `whsec_${Buffer.from(random.bytes(OCTETS)).toString('base64')}`
}

export function sealWebhookSecret(box: SecretBox, secret: string): string {
  return box.seal(secret, PURPOSE)
}

export function openWebhookSecret(box: SecretBox, sealed: string): string {
  return box.open(sealed, PURPOSE)
}
