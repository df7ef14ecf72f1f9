// node send-encrypted.mjs <device id> <number> <text>     SMSGW_URL, SMSGW_USERNAME and SMSGW_PASSWORD as for send.mjs
const { SMSGW_URL = 'http://127.0.0.1:3000', SMSGW_USERNAME = 'sms', SMSGW_PASSWORD } = process.env
const [deviceId, number, text] = process.argv.slice(2)
const { subtle } = crypto

const device = (await ask('GET', '/devices')).find(({ id }) => id === deviceId)
if (device?.publicKey === undefined) throw new Error(`device ${deviceId} has no public key`)

const answer = await ask('POST', '/messages', {
  deviceId,
  isEncrypted: true,
  phoneNumbers: [await encrypted(number, device)],
  textMessage: { text: await encrypted(text, device) },
})
console.log(answer.id, answer.state)

async function encrypted(value, { publicKey, keyVersion }) {
  const rsa = { name: 'RSA-OAEP', hash: 'SHA-256' }
  const deviceKey = await subtle.importKey('spki', Buffer.from(publicKey, 'base64'), rsa, false, ['encrypt'])
  const rawKey = crypto.getRandomValues(new Uint8Array(32))
  const iv = crypto.getRandomValues(new Uint8Array(12))
  const aesKey = await subtle.importKey('raw', rawKey, 'AES-GCM', false, ['encrypt'])
  const members = [
    await subtle.encrypt({ name: 'RSA-OAEP' }, deviceKey, rawKey),
    iv,
    await subtle.encrypt({ name: 'AES-GCM', iv }, aesKey, new TextEncoder().encode(value)),
  ]
  const base64 = members.map((octets) => Buffer.from(octets).toString('base64'))
  return `$rsa-oaep-aes-256-gcm$v=1$k=${keyVersion}$${base64.join('$')}`
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
