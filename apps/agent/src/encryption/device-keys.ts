import {
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import type { EncryptionKey } from '@smsgw/contract/link/event'
import { type PublicKeyField, tagLength } from '@smsgw/contract/messages/encrypted-field'
import { writeDurably } from '@smsgw/daemon/files/durable-file'
import { StartError } from '@smsgw/daemon/start-error'
import { z } from 'zod'
import { NumberAliases } from './number-aliases.ts'
import { unwrapKey } from './unwrap-key.ts'

/** The name of the key file in the data folder. */
export const deviceKeysFile = 'encryption-keys.json'

/**
 * The key pairs with which senders encrypt messages for this device. The private keys never leave this machine. The
 * keys are stored in one file with mode 0600. After a rotation, up to ten previous versions are kept for 30 days, to
 * decrypt messages that are still waiting. The file also contains the secret for the aliases of phone numbers.
 */
export class DeviceKeys {
  readonly #path: string
  /** The last key is the current key. */
  #keys: readonly DeviceKey[]
  readonly #aliasSecret: Buffer
  readonly aliases: NumberAliases

  private constructor(path: string, keys: readonly DeviceKey[], aliasSecret: Buffer) {
    this.#path = path
    this.#keys = keys
    this.#aliasSecret = aliasSecret
    this.aliases = new NumberAliases(aliasSecret)
  }

  /** Reads the keys; creates the first key if the file does not exist. */
  static async load(path: string): Promise<DeviceKeys> {
    if (!existsSync(path)) {
      const keys = new DeviceKeys(path, [{ version: 1, privateKey: await newKey() }], newSecret())
      keys.#saveAtStart('created')
      return keys
    }
    const stored = keysIn(readFileSync(path, 'utf8'))
    if (stored === undefined)
      throw new StartError(
        `${path} is not a valid key file. Restore it from a backup, or delete it to create a new key`,
      )
    chmodSync(path, 0o600)
    const { keys, aliasSecret } = stored
    const loaded = new DeviceKeys(path, keys, aliasSecret ?? newSecret())
    // Files of earlier releases contain no alias secret.
    if (aliasSecret === undefined) loaded.#saveAtStart('changed')
    return loaded
  }

  #saveAtStart(verb: 'created' | 'changed'): void {
    try {
      this.#save()
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new StartError(
        `${this.#path} cannot be ${verb}: ${reason}. Free disk space or correct the permissions, then start again`,
      )
    }
  }

  get current(): EncryptionKey {
    const { version, privateKey } = this.#last
    return { version, publicKey: publicOctets(privateKey).toString('base64') }
  }

  /** The SHA-256 of the public key, in hexadecimal. A sender compares it with the key that a relay shows. */
  get fingerprint(): string {
    return createHash('sha256').update(publicOctets(this.#last.privateKey)).digest('hex')
  }

  /** Creates the next version of the key. From now on, senders use this version. */
  async rotate(): Promise<EncryptionKey> {
    const privateKey = await newKey()
    this.#keep([...this.#keys, { version: this.#last.version + 1, privateKey }])
    return this.current
  }

  /** Deletes versions of the key that were replaced long ago. `nowMs` must be a trusted time. */
  deleteOld(nowMs: number): void {
    const older = this.#keys.slice(0, -1).map((key) => ({ ...key, replacedMs: key.replacedMs ?? nowMs }))
    const kept = older.filter(({ replacedMs }) => replacedMs > nowMs - keptMs)
    const isChanged = kept.length < older.length || this.#keys.slice(0, -1).some((key) => key.replacedMs === undefined)
    if (isChanged) this.#keep([...kept, this.#last])
  }

  /** Decrypts a value. Returns undefined if the value was encrypted with another key or was altered. */
  async decrypt(field: PublicKeyField): Promise<Buffer | undefined> {
    const key = this.#keys.find(({ version }) => version === field.keyVersion)
    if (key === undefined) return undefined
    try {
      const contentKey = await unwrapKey(key.privateKey, Buffer.from(field.wrappedKey, 'base64'))
      const octets = Buffer.from(field.ciphertext, 'base64')
      const iv = Buffer.from(field.iv, 'base64')
      const decipher = createDecipheriv('aes-256-gcm', contentKey, iv, { authTagLength: tagLength })
      decipher.setAuthTag(octets.subarray(-tagLength))
      return Buffer.concat([decipher.update(octets.subarray(0, -tagLength)), decipher.final()])
    } catch {
      // A wrong key and an altered value cause the same error. Details would only help an attacker.
      return undefined
    }
  }

  has(version: number): boolean {
    return this.#keys.some((key) => key.version === version)
  }

  get #last(): DeviceKey {
    const last = this.#keys.at(-1)
    if (last === undefined) throw new Error('there is no current key')
    return last
  }

  #keep(keys: readonly DeviceKey[]): void {
    const before = this.#keys
    this.#keys = keys.slice(-mostKeys)
    try {
      this.#save()
    } catch (error) {
      this.#keys = before
      throw error
    }
  }

  #save(): void {
    const keys = this.#keys.map(({ privateKey, ...key }) => ({
      ...key,
      privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    }))
    const aliasSecret = this.#aliasSecret.toString('base64')
    writeDurably(this.#path, `${JSON.stringify({ keys, aliasSecret }, undefined, 2)}\n`)
  }
}

interface DeviceKey {
  readonly version: number
  readonly privateKey: KeyObject
  /**
   * The time when the key was replaced. Undefined for the current key, and for a replaced key as long as the clock
   * cannot be trusted.
   */
  readonly replacedMs?: number | undefined
}

const storedKeys = z.object({
  keys: z
    .array(z.object({ version: z.int().min(1), privateKey: z.string(), replacedMs: z.number().optional() }))
    .min(1),
  aliasSecret: z.base64().optional(),
})

const keptMs = 30 * 24 * 60 * 60_000
/** The current key and ten older keys. */
const mostKeys = 11

/** With a key of 3072 bits, an encrypted phone number would be longer than the limit of 512 characters. */
const modulusLength = 2048

function newSecret(): Buffer {
  return randomBytes(32)
}

async function newKey(): Promise<KeyObject> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength })
  return privateKey
}

/** Returns the public key in the format SubjectPublicKeyInfo. */
function publicOctets(privateKey: KeyObject): Buffer {
  return createPublicKey(privateKey).export({ type: 'spki', format: 'der' })
}

/** Returns the keys of a file; undefined if the file is damaged. */
function keysIn(text: string): { readonly keys: readonly DeviceKey[]; readonly aliasSecret?: Buffer } | undefined {
  try {
    const { keys, aliasSecret } = storedKeys.parse(JSON.parse(text))
    return {
      keys: keys.map((key) => ({ ...key, privateKey: createPrivateKey(key.privateKey) })),
      ...(aliasSecret !== undefined && { aliasSecret: Buffer.from(aliasSecret, 'base64') }),
    }
  } catch {
    return undefined // The text of the error could show a part of a key.
  }
}
