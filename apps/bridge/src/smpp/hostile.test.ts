import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { LOGIN, SMS, withSmppBridge } from '../testing/smpp-bridge.ts'

const current = withSmppBridge()

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

const header = (length: number, command: number) => {
  const octets = Buffer.alloc(16)
  octets.writeUInt32BE(length, 0)
  octets.writeUInt32BE(command, 4)
  octets.writeUInt32BE(1, 12)
  return octets
}

test.each([
  ['a length of zero', header(0, 4)],
  ['a length of 4 GB', header(0xffffffff, 4)],
  ['a large PDU before the bind', header(60_000, 4)],
  ['another protocol', Buffer.from('GET / HTTP/1.1\r\nHost: example.org\r\n\r\n')],
])('answers %s with generic_nack and ends the connection', async (_, octets) => {
  const { bridge } = current
  await bridge.start()
  const socket = await open(bridge.port)
  socket.write(octets)
  const [answer] = (await once(socket, 'data')) as [Buffer]
  expect(answer.toString('hex')).toBe('00000010800000000000000200000000')
  await once(socket, 'close')
})

test('ends a connection without a bind, and a connection whose PDU does not end', async () => {
  const { bridge } = current
  await bridge.start({}, { bindMs: 1_500, answerMs: 300 })
  const silent = await open(bridge.port)
  const slow = await open(bridge.port)
  const closed: string[] = []
  silent.on('close', () => closed.push('silent'))
  silent.resume()
  slow.write(header(100, 9))
  const dripping = setInterval(() => slow.write('a'), 50)
  slow.resume()
  slow.on('close', () => closed.push('slow'))
  // Ignores the error, because the server may close the connection while an octet is being sent.
  slow.on('error', () => undefined)
  // The limit of the slow connection is shorter, and single octets do not restart the limit.
  await expect.poll(() => closed).toEqual(['slow', 'silent'])
  clearInterval(dripping)
})

test('random bodies of each command cause an error, but never end the session of another client', async () => {
  const { bridge } = current
  await bridge.start()
  const client = await bridge.bound()
  for (let round = 0; round < 40; round += 1) {
    const socket = await open(bridge.port)
    socket.resume()
    const login = Buffer.from(`app\0${LOGIN.password}\0\0\x34\0\0\0`, 'latin1')
    socket.write(Buffer.concat([header(16 + login.length, 9), login]))
    for (const command of [1, 3, 4, 5, 7, 8, 0x21, 0x103, 0x15, 0x80000004, 0x80000005, 0x12345]) {
      const body = randomBytes(Math.floor(Math.random() * 200))
      socket.write(Buffer.concat([header(16 + body.length, command), body]))
    }
    if (round % 2 === 0) socket.destroy()
    else socket.end()
  }
  await sleep(300)
  expect(await client.statusOf('submit_sm', SMS)).toBe('ESME_ROK')
})

test('stops answering a client that never reads its answers', async () => {
  const { bridge } = current
  await bridge.start({}, { answerMs: 1_000 })
  const before = process.memoryUsage().rss
  const socket = await open(bridge.port)
  const login = Buffer.from(`app\0${LOGIN.password}\0\0\x34\0\0\0`, 'latin1')
  socket.write(Buffer.concat([header(16 + login.length, 9), login]))
  await once(socket, 'data')
  socket.pause()
  const enquiries = Buffer.concat(Array.from({ length: 4_096 }, () => header(16, 0x15)))
  const flood = setInterval(() => {
    if (socket.writableLength < 1_000_000) for (let count = 0; count < 20; count += 1) socket.write(enquiries)
  }, 5)
  await new Promise((resolve) => socket.once('close', resolve))
  clearInterval(flood)
  expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000)
  expect(await (await bridge.bound()).statusOf('submit_sm', SMS)).toBe('ESME_ROK')
})

test('2 000 connections are refused above a limit, and do not stop a bound client', async () => {
  const { bridge } = current
  await bridge.start()
  const client = await bridge.bound()
  const before = process.memoryUsage().rss
  let sockets: Socket[] = []
  for (let count = 0; count < 2_000; count += 500) {
    const opened = Array.from({ length: 500 }, () => {
      const socket = connect(bridge.port, '127.0.0.1')
      socket.on('error', () => undefined)
      socket.resume()
      return socket
    })
    await Promise.all(
      opened.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => undefined)),
    )
    sockets = [...sockets, ...opened].filter((socket) => !socket.closed)
  }
  await expect.poll(() => sockets.filter((socket) => !socket.closed).length).toBeLessThan(100)
  expect(await client.statusOf('submit_sm', SMS)).toBe('ESME_ROK')
  expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000)
  for (const socket of sockets) socket.destroy()
  await expect.poll(async () => (await bridge.connect()).statusOf('bind_transceiver', LOGIN)).toBe('ESME_ROK')
})
