import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { ApiClient } from '../src/house/api-client.ts'
import { Emulator } from '../src/house/emulator.ts'
import { newFolder } from '../src/house/gateway.ts'
import { openDatabase } from '../src/house/open-database.ts'

/**
 * Measures how fast a machine does three things without the gateway, one after the other: it sends the bytes of a
 * message to the port of a modem, inserts one row per commit, and answers an HTTP request after reading its body.
 * Returns how often per second it did each of them.
 */
export async function measureFloors(gatewayFolder: string, connections: number) {
  return {
    port: await barePort(300),
    insert: await bareInsert(gatewayFolder, connections, 1_000),
    route: await bareRoute(connections, 1_000),
  }
}

/** `hello` to +447400123456. */
const pdu = '0011000C914447002143650000AA05E8329BFD06'
const tpduLength = pdu.length / 2 - 1

async function barePort(count: number): Promise<number> {
  const emulator = await Emulator.start(newFolder())
  try {
    const { hostname, port } = new URL(emulator.ports[0]?.[0] ?? '')
    const socket = connect(Number(port), hostname)
    const exchange = async (sent: string, wanted: string) => {
      let heard = ''
      const { promise, resolve } = Promise.withResolvers<void>()
      const hear = (bytes: Buffer) => {
        heard += bytes.toString('latin1')
        if (heard.includes('ERROR')) throw new Error(`the modem answered ${heard} to ${sent}`)
        if (heard.endsWith(wanted)) resolve()
      }
      socket.on('data', hear)
      socket.write(sent)
      await promise
      socket.off('data', hear)
    }
    for (const command of ['ATE0', 'AT+CMGF=0']) await exchange(`${command}\r`, 'OK\r\n')
    const rate = await rateOf(count, 1, async () => {
      await exchange(`AT+CMGS=${tpduLength}\r`, '> ')
      await exchange(`${pdu}\x1a`, 'OK\r\n')
    })
    socket.destroy()
    return rate
  } finally {
    await emulator.process.stop()
  }
}

async function bareInsert(gatewayFolder: string, connections: number, count: number): Promise<number> {
  const clients = await Promise.all(Array.from({ length: connections }, () => openDatabase(gatewayFolder)))
  const [first] = clients
  try {
    await first?.query('CREATE TABLE bare_insert (id text PRIMARY KEY, text text NOT NULL)')
    return await rateOf(count, connections, async (at, worker) => {
      await clients[worker]?.query('INSERT INTO bare_insert VALUES ($1, $2)', [`id${at}`, `message ${at}`])
    })
  } finally {
    await first?.query('DROP TABLE IF EXISTS bare_insert')
    await Promise.all(clients.map((client) => client.end()))
  }
}

async function bareRoute(connections: number, count: number): Promise<number> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(parts).toString())
      response.writeHead(202, { 'content-type': 'application/json' }).end(JSON.stringify({ id: 'id', ...body }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const api = new ApiClient(url, { username: 'bench', password: 'bench' })
    return await rateOf(count, connections, async (at) => {
      await api.send({ phoneNumbers: ['+447400123456'], textMessage: { text: `message ${at}` } })
    })
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

async function rateOf(count: number, atOnce: number, work: (at: number, worker: number) => Promise<void>) {
  const beganAt = performance.now()
  let next = 0
  const one = async (_: unknown, worker: number) => {
    for (let at = next++; at < count; at = next++) await work(at, worker)
  }
  await Promise.all(Array.from({ length: atOnce }, one))
  return (count * 1000) / (performance.now() - beganAt)
}
