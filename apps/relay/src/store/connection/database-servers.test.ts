import { beforeEach, expect, test } from 'vitest'
import { DatabaseServers } from './database-servers.ts'

/** The timelines of the servers that accept writes; the others do not answer. */
let timelines: Record<string, number | Promise<number>>
let servers: DatabaseServers

beforeEach(() => {
  timelines = {}
  servers = new DatabaseServers('postgresql://smsgw@one:5432,two:5432,three:5432/smsgw', async (url) => {
    const timeline = await timelines[new URL(url).hostname]
    return timeline === undefined
      ? { problem: Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' }), timeline: 0 }
      : { timeline }
  })
})

const found = async () => (await servers.find()).host

test('the first search uses the server that was promoted last, and not the first of the list', async () => {
  timelines = { one: 3, two: 12, three: 12 }
  expect(await found()).toBe('two')
})

test('keeps the present server without waiting for the others', async () => {
  timelines = { two: 2 }
  expect(await found()).toBe('two')
  timelines = { one: new Promise(() => undefined), two: 2 }
  expect(await found()).toBe('two')
})

test('uses no server that was replaced, even if no other server answers, and gives the reason', async () => {
  timelines = { one: 1, two: 2 }
  expect(await found()).toBe('two')
  timelines = { one: 1 }
  await expect(found()).rejects.toThrow(
    'one:5432: this server is on timeline 1, but the relay has already used a server on the newer timeline 2',
  )
  timelines = { one: 1, three: 3 }
  expect(await found()).toBe('three')
})
