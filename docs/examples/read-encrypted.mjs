// node read-encrypted.mjs <version>=<key.pem>…     SMSGW_URL, SMSGW_USERNAME and SMSGW_PASSWORD as for send.mjs
import { constants, createDecipheriv, createHmac, privateDecrypt } from 'node:crypto'
import { readFileSync } from 'node:fs'

const { SMSGW_URL = 'http://127.0.0.1:3000', SMSGW_USERNAME = 'sms', SMSGW_PASSWORD } = process.env
const keys = new Map(process.argv.slice(2).map((argument) => argument.split('=')))

const devices = await ask('/devices?includeDeleted=true')
const aliasKeys = new Map(devices.flatMap(({ aliasKeys = [] }) => aliasKeys.map(({ id, key }) => [id, key])))
for (const { sender, text, isEncrypted } of await ask('/inbox?type=SMS'))
  console.log(numberOf(sender), isEncrypted ? decrypted(text) : text)

function decrypted(value) {
  const [, , , version, ...members] = value.split('$')
  const file = keys.get(version.slice('k='.length))
  if (file === undefined) return `(encrypted with the key ${version})`
  const [wrapped, iv, ciphertext] = members.map((member) => Buffer.from(member, 'base64'))
  const padding = constants.RSA_PKCS1_OAEP_PADDING
  const aesKey = privateDecrypt({ key: readFileSync(file), padding, oaepHash: 'sha256' }, wrapped)
  const decipher = createDecipheriv('aes-256-gcm', aesKey, iv)
  decipher.setAuthTag(ciphertext.subarray(-16))
  return Buffer.concat([decipher.update(ciphertext.subarray(0, -16)), decipher.final()]).toString()
}

// Returns the number of an alias, and other senders as they are.
function numberOf(sender) {
  const [, id, body] = /^alias:(.{16})(.+)$/.exec(sender) ?? []
  const key = Buffer.from(aliasKeys.has(id) ? decrypted(aliasKeys.get(id)) : '', 'base64')
  if (key.length !== 64) return sender
  const octets = Buffer.from(body, 'base64url')
  const iv = octets.subarray(0, 16)
  const clear = createDecipheriv('aes-256-ctr', key.subarray(32), iv).update(octets.subarray(16))
  const mac = createHmac('sha256', key.subarray(0, 32)).update(clear).digest()
  return mac.subarray(0, 16).equals(iv) ? clear.toString().replace(/\0+$/, '') : sender
}

async function ask(path) {
  const response = await fetch(`${SMSGW_URL}/3rdparty/v1${path}`, {
    headers: { Authorization: `Basic ${Buffer.from(`${SMSGW_USERNAME}:${SMSGW_PASSWORD}`).toString('base64')}` },
  })
  const answer = await response.json()
  if (!response.ok) throw new Error(answer.message)
  return answer
}
