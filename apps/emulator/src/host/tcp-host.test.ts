import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { TcpHost } from './tcp-host.ts'

const hosts: TcpHost[] = []
const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const host of hosts.splice(0)) await host.close()
})

async function serve(receive: (text: string, host: TcpHost) => void = () => undefined): Promise<TcpHost> {
  const host: TcpHost = await TcpHost.listen(
    { host: '127.0.0.1', port: 0 },
    (bytes) => receive(Buffer.from(bytes).toString('latin1'), host),
    'tcp',
  )
  hosts.push(host)
  return host
}

async function dial(host: TcpHost): Promise<Socket> {
  const socket = connect(Number(new URL(host.address).port), '127.0.0.1')
  sockets.push(socket)
  await once(socket, 'connect')
  return socket
}

const echo = (text: string, host: TcpHost) => host.send(Buffer.from(text.toUpperCase()))

test('passes bytes in both directions', async () => {
  const socket = await dial(await serve(echo))
  socket.write('at\r')
  const [answer] = (await once(socket, 'data')) as [Buffer]
  expect(answer.toString()).toBe('AT\r')
})

test('disconnects the current program when another program connects', async () => {
  const host = await serve(echo)
  const first = await dial(host)
  const cut = once(first, 'close')
  first.resume()
  const second = await dial(host)
  await cut
  second.write('at\r')
  const [answer] = (await once(second, 'data')) as [Buffer]
  expect(answer.toString()).toBe('AT\r')
})

test('resets connections while unplugged, and answers after it is plugged in again', async () => {
  const host = await serve(echo)
  const first = await dial(host)
  const lost = once(first, 'error')
  host.takeAway()
  expect((await lost)[0]).toMatchObject({ code: 'ECONNRESET' })

  // The reset may arrive before the `connect` event.
  const early = await dial(host).then(
    (socket) => once(socket, 'error'),
    (error: unknown) => [error],
  )
  expect(early[0]).toMatchObject({ code: 'ECONNRESET' })

  host.bringBack()
  const late = await dial(host)
  late.write('at\r')
  expect(String((await once(late, 'data'))[0])).toBe('AT\r')
})

test('pauses input of a program that never reads', async () => {
  let taken = 0
  const host = await serve((text, self) => {
    taken += text.length
    self.send(Buffer.alloc(text.length * 4))
  })
  const socket = await dial(host)
  socket.pause()
  const sent = 32 * 1024 * 1024
  socket.write(Buffer.alloc(sent))
  let before = -1
  for (let turn = 0; turn < 100 && before !== taken; turn++) {
    before = taken
    await delay(50)
  }
  expect(taken).toBeLessThan(sent / 2)
})

test('stops the start with one line when the port is in use', async () => {
  const { address } = await serve()
  const port = Number(new URL(address).port)
  await expect(TcpHost.listen({ host: '127.0.0.1', port }, () => undefined, 'tcp')).rejects.toThrow(
    `tcp: 127.0.0.1:${port} is in use by another program; choose another port, or 0 for any free port`,
  )
})

test('closes without waiting for a peer that keeps its end open', async () => {
  const host = await serve()
  const socket = connect({ port: Number(new URL(host.address).port), host: '127.0.0.1', allowHalfOpen: true })
  sockets.push(socket)
  await once(socket, 'connect')
  await delay(20)
  hosts.pop()
  await host.close()
})
