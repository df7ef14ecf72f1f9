// The shortest possible route for accepting messages, as the baseline. It reads its body with the same framework and
// schema library, and writes the same rows durably in one statement per request through `pg`. It has no accounts,
// numbering plans, choice of a device, idempotency or error texts.
//
//   DATABASE_URL=… DEVICE_ID=… ACCOUNT_ID=… CONNECTIONS=… node bench/load/bare-route.ts
import { randomBytes } from 'node:crypto'
import Fastify from 'fastify'
import { Pool } from 'pg'
import { z } from 'zod'

const { DATABASE_URL: connectionString, DEVICE_ID: deviceId, ACCOUNT_ID: accountId, CONNECTIONS } = process.env
const pool = new Pool({ connectionString, max: Number(CONNECTIONS) })
const body = z.object({
  phoneNumbers: z.array(z.string().min(1).max(128)).min(1).max(100),
  textMessage: z.object({ text: z.string().min(1).max(65_535) }),
})
const newId = () => randomBytes(16).toString('base64url').slice(0, 21)

const server = Fastify()
server.post('/messages', async (request, reply) => {
  const { phoneNumbers, textMessage } = body.parse(request.body)
  const id = newId()
  const createdAt = new Date()
  await pool.query({
    name: 'store',
    text: `
      WITH message AS (
        INSERT INTO messages (account_id, id, device_id, created_at, text) VALUES ($1, $2, $3, $4, $5) RETURNING key
      )
      INSERT INTO recipients (cmd_id, message_key, account_id, device_id, position, phone_number, priority, due_at)
      SELECT cmd_id, message.key, $1, $3, position - 1, phone_number, 0, $4
      FROM message, unnest($6::text[], $7::text[]) WITH ORDINALITY AS recipient (cmd_id, phone_number, position)`,
    values: [accountId, id, deviceId, createdAt, textMessage.text, phoneNumbers.map(newId), phoneNumbers],
  })
  const at = createdAt.toISOString()
  return reply
    .code(202)
    .header('Location', `/messages/${id}`)
    .send({
      id,
      deviceId,
      state: 'Pending',
      isHashed: false,
      isEncrypted: false,
      recipients: phoneNumbers.map((phoneNumber) => ({ phoneNumber, state: 'Pending' })),
      states: { Pending: at },
      createdAt: at,
    })
})
process.stdout.write(`${await server.listen({ host: '127.0.0.1', port: 0 })}\n`)
