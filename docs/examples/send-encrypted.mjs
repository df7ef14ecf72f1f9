// node send-encrypted.mjs <device id> <number> <text>     SMSGW_URL, SMSGW_USERNAME and SMSGW_PASSWORD as for send.mjs
import { constants, createCipheriv, createHash, createPublicKey, publicEncrypt, randomBytes } from 'node:crypto'

const { SMSGW_URL = 'http://127.0.0.1:3000', SMSGW_USERNAME = 'sms', SMSGW_PASSWORD } = process.env
const [deviceId, number, text] = process.argv.slice(2)

const device = (await ask('GET', '/devices')).find(({ id }) => id === deviceId)
if (device?.publicKey === undefined) throw new Error(`device ${deviceId} has no public key`)

const answer = await ask('POST', '/messages', {
  deviceId,
  isEncrypted: true,
  phoneNumbers: [encrypted(number, device)],
  textMessage: { text: encrypted(text, device) },
})
console.log(answer.id, answer.state)

function encrypted(value, { publicKey, keyVersion }) {
  const contentKey = randomBytes(32)
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', contentKey, iv)
  const ciphertext = Buffer.concat([cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()])
  const base64 = [wrapped(contentKey, publicKey), iv, ciphertext].map((octets) => octets.toString('base64'))
  return `$rsa-oaep-aes-256-gcm$v=1$k=${keyVersion}$${base64.join('$')}`
}

// RSA-OAEP with SHA-256, and with SHA-1 for the mask (MGF1), which Node cannot combine.
function wrapped(contentKey, publicKey) {
  const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' })
  const length = key.asymmetricKeyDetails.modulusLength / 8
  const zeros = Buffer.alloc(length - 66 - contentKey.length)
  const block = Buffer.concat([createHash('sha256').digest(), zeros, Buffer.of(1), contentKey])
  const seed = randomBytes(32)
  const maskedBlock = masked(block, seed)
  const encoded = Buffer.concat([Buffer.of(0), masked(seed, maskedBlock), maskedBlock])
  return publicEncrypt({ key, padding: constants.RSA_NO_PADDING }, encoded)
}

function masked(octets, seed) {
  const count = Math.ceil(octets.length / 20)
  const parts = Array.from({ length: count }, (_, index) =>
    createHash('sha1')
      .update(seed)
      .update(Buffer.of(0, 0, 0, index))
      .digest(),
  )
  const mask = Buffer.concat(parts)
  return octets.map((octet, index) => octet ^ mask[index])
}

async function ask(method, path, body) {
  const response = await fetch(`${SMSGW_URL}/3rdparty/v1${path}`, {
    method,
    headers: {
      Authorization: `Basic ${Buffer.from(`${SMSGW_USERNAME}:${SMSGW_PASSWORD}`).toString('base64')}`,
      'Content-Type': 'application/json',
    },
    body: body && JSON.stringify(body),
  })
  const answer = await response.json()
  if (!response.ok) throw new Error(answer.message)
  return answer
}
