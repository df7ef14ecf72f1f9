// A webhook receiver for Node 18 or newer:     WEBHOOK_SECRET=whsec_… PORT=8080 node receiver.mjs
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const { WEBHOOK_SECRET = '', PORT = '8080' } = process.env
if (!WEBHOOK_SECRET.startsWith('whsec_')) throw new Error('set WEBHOOK_SECRET to the secret of the webhook')
const key = Buffer.from(WEBHOOK_SECRET.slice('whsec_'.length), 'base64')
const MAX_BODY_BYTES = 10_000_000

createServer((request, response) => {
  answer(request).then(
    (status) => response.writeHead(status, { Connection: 'close' }).end(),
    () => response.destroy(), // the caller has gone
  )
}).listen(Number(PORT))

async function answer(request) {
  if (request.method !== 'POST') return 405
  const body = await readBody(request)
  if (body === undefined) return 413
  if (!isGenuine(request.headers, body)) return 401
  const event = parse(body)
  if (event === undefined) return 400
  setImmediate(handle, event) // answer first, work afterwards
  return 204
}

/** The body as it was sent, or undefined when it is too large. */
async function readBody(request) {
  const chunks = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function isGenuine(headers, body) {
  const { 'webhook-id': id = '', 'webhook-timestamp': timestamp = '', 'webhook-signature': signatures = '' } = headers
  const ageSeconds = Date.now() / 1000 - Number(timestamp)
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(ageSeconds) > 300) return false
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest()
  return signatures.split(' ').some((signature) => {
    if (!signature.startsWith('v1,')) return false
    const given = Buffer.from(signature.slice('v1,'.length), 'base64')
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}

function parse(body) {
  try {
    const event = JSON.parse(body.toString('utf8'))
    return typeof event?.id === 'string' ? event : undefined
  } catch {
    return undefined
  }
}

/** Remember event.id: the same event may arrive again. */
function handle(event) {
  console.log(event.id, event.event, event.payload)
}
