import { type JsonWebKey, webcrypto } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { ROOT } from '../machine/process.ts'

const { subtle } = webcrypto
const curve = { name: 'ECDH', namedCurve: 'P-256' }
const folder = join(ROOT, 'apps/relay/src/testing/certificate')

/** The settings with which a gateway or relay reaches this push service. */
export const reachingPushService = {
  NODE_EXTRA_CA_CERTS: join(folder, 'first.crt'),
  WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
}

/**
 * A push service with TLS, and a browser that has subscribed to it. The browser decrypts notifications according to RFC
 * 8291.
 */
export class PushService {
  /** The subscription that the browser gives to the console, in the form of `PushSubscription.toJSON()`. */
  readonly subscription: {
    readonly endpoint: string
    readonly keys: { readonly p256dh: string; readonly auth: string }
  }
  /** The decrypted notifications so far, as JSON. */
  readonly contents: string[] = []
  readonly #server: Server

  private constructor(server: Server, subscription: PushService['subscription']) {
    this.#server = server
    this.subscription = subscription
  }

  static async start(): Promise<PushService> {
    const { privateKey } = (await subtle.generateKey(curve, true, ['deriveBits'])) as webcrypto.CryptoKeyPair
    const { x = '', y = '' } = (await subtle.exportKey('jwk', privateKey)) as JsonWebKey
    const publicKey = Buffer.from([4, ...Buffer.from(x, 'base64url'), ...Buffer.from(y, 'base64url')])
    const auth = Buffer.from(webcrypto.getRandomValues(new Uint8Array(16)))
    const [cert, key] = ['first.crt', 'first.key'].map((name) => readFileSync(join(folder, name)))
    const server = createServer({ cert, key }, async (request, response) => {
      service.contents.push(await decrypted(await buffer(request), { privateKey, publicKey, auth }))
      response.writeHead(201).end()
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const service = new PushService(server, {
      endpoint: `https://127.0.0.1:${(server.address() as AddressInfo).port}/browser`,
      keys: { p256dh: publicKey.toString('base64url'), auth: auth.toString('base64url') },
    })
    return service
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

interface Browser {
  readonly privateKey: webcrypto.CryptoKey
  readonly publicKey: Buffer
  readonly auth: Buffer
}

async function decrypted(body: Buffer, { privateKey, publicKey, auth }: Browser): Promise<string> {
  const [salt, sender, record] = [body.subarray(0, 16), body.subarray(21, 86), body.subarray(86)]
  const peer = await subtle.importKey('raw', sender, curve, false, [])
  const shared = await subtle.deriveBits({ name: 'ECDH', public: peer }, privateKey, 256)
  const input = await hkdf(shared, auth, Buffer.concat([Buffer.from('WebPush: info\0'), publicKey, sender]), 256)
  const key = await hkdf(input, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 128)
  const iv = await hkdf(input, salt, Buffer.from('Content-Encoding: nonce\0'), 96)
  const cipher = await subtle.importKey('raw', key, 'AES-GCM', false, ['decrypt'])
  const padded = Buffer.from(await subtle.decrypt({ name: 'AES-GCM', iv }, cipher, record))
  return padded.subarray(0, padded.lastIndexOf(2)).toString()
}

async function hkdf(secret: webcrypto.BufferSource, salt: Buffer, info: Buffer, bits: number): Promise<ArrayBuffer> {
  const key = await subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits'])
  return subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt, info }, key, bits)
}
