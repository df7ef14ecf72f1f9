import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { afterEach, expect, test } from 'vitest'
import { hostResolver } from './resolve-host.ts'

const A = 1
const AAAA = 28
const ending: (() => unknown)[] = []
afterEach(() => {
  for (const end of ending.splice(0)) end()
})

/** Starts a name server that answers queries of each type with these address bytes. `undefined` means no answer. */
async function nameServer(answers: { readonly [type: number]: readonly number[][] | undefined }): Promise<string[]> {
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => {
    const question = query.subarray(12, query.indexOf(0, 12) + 5)
    const found = answers[question.readUInt16BE(question.length - 4)]
    if (found === undefined) return
    const head = Buffer.from(query.subarray(0, 12))
    head.writeUInt16BE(found.length === 0 ? 0x8183 : 0x8180, 2)
    head.writeUInt16BE(found.length, 6)
    head.writeUInt32BE(0, 8)
    const records = found.map((bytes) =>
      Buffer.concat([
        Buffer.from([0xc0, 12, 0, bytes.length === 4 ? A : AAAA, 0, 1, 0, 0, 0, 60, 0, bytes.length]),
        Buffer.from(bytes),
      ]),
    )
    socket.send(Buffer.concat([head, question, ...records]), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  ending.push(() => socket.close())
  return [`127.0.0.1:${socket.address().port}`]
}

const FOUR = [93, 184, 215, 14]
const SIX = [0x26, 6, 0x28, 0, 2, 0x1f, 0xcb, 7, 0x68, 0x20, 0x80, 0xda, 0xaf, 0x6b, 0x8b, 0x2c]
const four = { address: '93.184.215.14', family: 4 }
const six = { address: '2606:2800:21f:cb07:6820:80da:af6b:8b2c', family: 6 }

test('returns all addresses of both families', async () => {
  const resolve = hostResolver(await nameServer({ [A]: [FOUR], [AAAA]: [SIX] }))
  expect(await resolve('example.com')).toEqual([four, six])
})

test('a family of addresses without an answer does not delay the other family', async () => {
  const resolve = hostResolver(await nameServer({ [A]: [FOUR], [AAAA]: undefined }))
  expect(await resolve('example.com')).toEqual([four])
})

test('returns the addresses of a name with one family', async () => {
  const resolve = hostResolver(await nameServer({ [A]: [], [AAAA]: [SIX] }))
  expect(await resolve('example.com')).toEqual([six])
})

test('resolves names of this machine through the system, with any answer of the name servers', async () => {
  const resolve = hostResolver(await nameServer({ [A]: [FOUR], [AAAA]: [] }))
  expect(await resolve('localhost')).toContainEqual({ address: '127.0.0.1', family: 4 })
})

test('reports an unknown name', async () => {
  const resolve = hostResolver(await nameServer({ [A]: [], [AAAA]: [] }))
  await expect(resolve('nobody.invalid')).rejects.toMatchObject({ syscall: 'getaddrinfo' })
})

test('name servers that do not answer delay neither file access nor other names', async () => {
  const dead = hostResolver(await nameServer({}))
  const ended: string[] = []
  for (let index = 0; index < 20; index++)
    dead(`n${index}.invalid`).then(
      () => ended.push('found'),
      () => ended.push('not found'),
    )
  const alive = hostResolver(await nameServer({ [A]: [FOUR], [AAAA]: [] }))
  expect(await alive('example.com')).toEqual([four])
  await readFile(import.meta.filename)
  expect(await alive('localhost')).not.toEqual([])
  expect(ended).toEqual([])
})
