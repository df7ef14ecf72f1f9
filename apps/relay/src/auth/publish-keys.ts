import { z } from 'zod'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import type { SigningKeys } from './signing-keys.ts'

/** Publishes the keys as a JWK Set (RFC 7517) for services that verify our tokens. The set is empty in Local Server mode. */
export function publishKeys({
  signingKeys,
}: {
  readonly signingKeys: Pick<SigningKeys, 'published'> | undefined
}): Endpoint {
  return endpoint({
    answers: { 200: keySet },
    async handle() {
      const keys = signingKeys ? await signingKeys.published() : []
      return { status: 200, body: { keys }, headers: { 'Cache-Control': 'public, max-age=3600' } }
    },
  })
}

const keySet = z
  .strictObject({
    keys: z.array(
      z.strictObject({
        kid: z.string(),
        kty: z.literal('OKP'),
        crv: z.literal('Ed25519'),
        x: z.string(),
        use: z.literal('sig'),
        alg: z.literal('EdDSA'),
      }),
    ),
  })
  .meta({ id: 'KeySet', description: 'The public keys that verify our tokens' })
