// node read-encrypted.mjs <version>=<key.pem>…     SMSGW_URL, SMSGW_USERNAME and SMSGW_PASSWORD as for send.mjs
import { constants, createDecipheriv, privateDecrypt } from 'node:crypto'
import { readFileSync } from 'node:fs'

const { SMSGW_URL = 'http://127.0.0.1:3000', SMSGW_USERNAME = 'sms', SMSGW_PASSWORD } = process.env
const keys = new Map(process.argv.slice(2).map((argument) => argument.split('=')))

const response = await fetch(`${SMSGW_URL}/3rdparty/v1/inbox?type=SMS`, {
  headers: { Authorization: `Basic ${Buffer.from(`${SMSGW_USERNAME}:${SMSGW_PASSWORD}`).toString('base64')}` },
})
const items = await response.json()
if (!response.ok) throw new Error(items.message)
for (const { sender, text, isEncrypted } of items) console.log(sender, isEncrypted ? decrypted(text) : text)

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
