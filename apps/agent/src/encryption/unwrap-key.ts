import { constants, createHash, type KeyObject, privateDecrypt, subtle, timingSafeEqual } from 'node:crypto'

/**
 * Decrypts a key that was wrapped with RSA-OAEP and SHA-256. Throws if it was wrapped for another key or altered.
 *
 * The mask (MGF1) may use SHA-256 or SHA-1. Most libraries use SHA-256 for both. Clients of Android phones use SHA-1,
 * because the keystore of Android supports nothing else.
 */
export async function unwrapKey(privateKey: KeyObject, wrapped: Buffer): Promise<Buffer> {
  try {
    // Decrypts outside the main thread.
    const unwrapping = privateKey.toCryptoKey({ name: 'RSA-OAEP', hash: 'SHA-256' }, false, ['decrypt'])
    return Buffer.from(await subtle.decrypt({ name: 'RSA-OAEP' }, unwrapping, wrapped))
  } catch {
    return unwrapWithSha1Mask(privateKey, wrapped)
  }
}

const HASH_LENGTH = 32
const EMPTY_LABEL_HASH = createHash('sha256').digest()

/**
 * Decodes EME-OAEP (RFC 8017 §7.1.2). Node.js always uses the same hash for OAEP and for the mask, so only the RSA
 * operation of Node.js is used here. All checks take the same time and give one common result, because an attacker who
 * knows which check failed could decrypt a key.
 */
function unwrapWithSha1Mask(privateKey: KeyObject, wrapped: Buffer): Buffer {
  const encoded = privateDecrypt({ key: privateKey, padding: constants.RSA_NO_PADDING }, wrapped)
  const maskedSeed = encoded.subarray(1, 1 + HASH_LENGTH)
  const maskedBlock = encoded.subarray(1 + HASH_LENGTH)
  const seed = xor(maskedSeed, mask(maskedBlock, HASH_LENGTH))
  const block = xor(maskedBlock, mask(seed, maskedBlock.length))
  let isWrong = (encoded[0] ?? 1) | Number(!timingSafeEqual(block.subarray(0, HASH_LENGTH), EMPTY_LABEL_HASH))
  let isPadding = 1
  let start = 0
  for (let at = HASH_LENGTH; at < block.length; at += 1) {
    const byte = block[at] ?? 0
    const isOne = Number(byte === 1)
    start |= isPadding * isOne * (at + 1)
    isWrong |= isPadding * Number(byte > 1)
    isPadding &= Number(byte === 0)
  }
  if (isWrong !== 0 || start === 0)
    throw new Error('the wrapped key is damaged, or was encrypted for another device key')
  return block.subarray(start)
}

function mask(seed: Buffer, length: number): Buffer {
  const pieces: Buffer[] = []
  for (let counter = 0; counter * 20 < length; counter += 1) {
    const index = Buffer.alloc(4)
    index.writeUInt32BE(counter)
    pieces.push(createHash('sha1').update(seed).update(index).digest())
  }
  return Buffer.concat(pieces).subarray(0, length)
}

function xor(one: Buffer, other: Buffer): Buffer {
  return Buffer.from(one.map((byte, index) => byte ^ (other[index] ?? 0)))
}
