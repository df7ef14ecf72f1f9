// The shortest possible relay. It is the baseline for the time from an HTTP request until the message reaches the
// agent, and for the memory of a connection. `POST /` commits a row, answers, commits a change of this row and sends
// the body to a random WebSocket. There are no accounts, sessions, signatures, leases or other relays.
//
//   DATABASE_URL=… node bench/load/bare-relay.ts
import { createServer } from 'node:http'
import { Pool } from 'pg'
import { WebSocketServer } from 'ws'

const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: 4 })
await pool.query('CREATE TABLE bare (id text PRIMARY KEY, sent_at timestamptz)')
const server = createServer(async (request, response) => {
  let id = ''
  for await (const chunk of request) id += chunk
  await pool.query({ name: 'store', text: 'INSERT INTO bare (id) VALUES ($1)', values: [id] })
  response.writeHead(202).end()
  await pool.query({ name: 'claim', text: 'UPDATE bare SET sent_at = now() WHERE id = $1', values: [id] })
  const sockets = [...webSockets.clients]
  sockets[Math.floor(Math.random() * sockets.length)]?.send(id)
})
const webSockets = new WebSocketServer({ server, perMessageDeflate: false })
// Keeps the connections open without data from the relay, so that only the sockets take memory.
webSockets.on('connection', (socket) => socket.on('message', () => undefined))
server.listen({ host: '127.0.0.1', port: 0 }, () => {
  const address = server.address()
  process.stdout.write(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}\n`)
})
