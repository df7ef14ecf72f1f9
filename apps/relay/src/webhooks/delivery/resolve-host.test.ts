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

/** Answers questions for a type with these bytes of addresses; undefined: says nothing. */
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

test('a name has all its addresses of both families', async () => {
  const resolve = hostResolver(await nameServer({ [A]: [FOUR], [AAAA]: [SIX] }))
  expect(await resolve('example.com')).toEqual([four, six])
})

test('one family that is silent does not keep the other waiting', async () => {
  const resolve = hostResolver(await nameServer({ [A]: [FOUR], [AAAA]: undefined }))
  expect(await resolve('example.com')).toEqual([four])
})

test('a name of one family has that one', async () => {
  const resolve = hostResolver(await nameServer({ [A]: [], [AAAA]: [SIX] }))
  expect(await resolve('example.com')).toEqual([six])
})

test('names of this machine are known to the system, whatever name servers say', async () => {
  const resolve = hostResolver(await nameServer({ [A]: [FOUR], [AAAA]: [] }))
  expect(await resolve('localhost')).toContainEqual({ address: '127.0.0.1', family: 4 })
})

test('a name that nobody knows is told as such', async () => {
  const resolve = hostResolver(await nameServer({ [A]: [], [AAAA]: [] }))
  await expect(resolve('nobody.invalid')).rejects.toMatchObject({ syscall: 'getaddrinfo' })
})

test('any number of dead name servers keep neither a file nor a name waiting', async () => {
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
