import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { chmodSync, readFileSync } from 'node:fs'
import { parsedJson } from '@smsgw/contract/fields/json'
import { writeDurably } from '@smsgw/daemon/files/durable-file'
import { z } from 'zod'

/** The name of the identity file in the data folder. */
export const identityFile = 'agent-identity.json'

/**
 * The identity of this agent: its private key, which never leaves the machine, and its device id at the relay. Stored
 * in one file with mode 0600, which is written completely or not at all.
 */
export class AgentIdentity {
  readonly #path: string
  readonly #key: KeyObject
  #relay: PairedRelay | undefined

  private constructor(path: string, key: KeyObject, relay: PairedRelay | undefined) {
    this.#path = path
    this.#key = key
    this.#relay = relay
  }

  /** Reads the identity; creates a key if the file does not exist. */
  static load(path: string): AgentIdentity {
    const text = readIfThere(path)
    if (text === undefined) {
      const { privateKey } = generateKeyPairSync('ed25519')
      const identity = new AgentIdentity(path, privateKey, undefined)
      identity.#save()
      return identity
    }
    const read = identitySchema.safeParse(parsedJson(text))
    if (!read.success) {
      throw new Error(`${path} is not a valid agent identity. Delete it and pair this agent again`)
    }
    chmodSync(path, 0o600)
    return new AgentIdentity(path, createPrivateKey(read.data.privateKey), read.data.relay)
  }

  /** The raw Ed25519 key in base64. */
  get publicKey(): string {
    const spki = createPublicKey(this.#key).export({ type: 'spki', format: 'der' })
    return spki.subarray(-rawKeyBytes).toString('base64')
  }

  get relay(): PairedRelay | undefined {
    return this.#relay
  }

  sign(text: string): string {
    return sign(null, Buffer.from(text), this.#key).toString('base64')
  }

  keep(relay: PairedRelay): void {
    this.#relay = relay
    this.#save()
  }

  #save(): void {
    const privateKey = this.#key.export({ type: 'pkcs8', format: 'pem' })
    const text = `${JSON.stringify({ privateKey, ...(this.#relay && { relay: this.#relay }) }, undefined, 2)}\n`
    writeDurably(this.#path, text)
  }
}

export interface PairedRelay {
  readonly url: string
  readonly deviceId: string
}

const identitySchema = z.object({
  privateKey: z.string(),
  relay: z.object({ url: z.string(), deviceId: z.string() }).optional(),
})

const rawKeyBytes = 32

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
