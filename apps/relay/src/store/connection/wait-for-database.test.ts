import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { ListenError } from '@smsgw/daemon/listen-problem'
import { StartError } from '@smsgw/daemon/start-error'
import { expect, test } from 'vitest'
import { retryUntilAvailable, waitForDatabase } from './wait-for-database.ts'

const outage = () => Object.assign(new Error('terminating connection'), { code: '57P01' })

test('waits for a server that accepts connections but does not answer, like an overloaded machine', async () => {
  const silent = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const lines: string[] = []
  const options = { waitMs: 100, report: (line: string) => lines.push(line) }
  await expect(waitForDatabase(`postgresql://sms@127.0.0.1:${port}/smsgw`, options)).rejects.toThrow(
    `PostgreSQL at 127.0.0.1:${port}/smsgw (user sms) does not answer (timeout expired). The relay tried 1 times`,
  )
  silent.close()
})

test('starts again when the database becomes unavailable during a start, even if that is the cause of another error', async () => {
  const failures = [outage(), new StartError('the database cannot be prepared', { cause: outage() })]
  const lines: string[] = []
  const start = async () => {
    const failure = failures.shift()
    if (failure) throw failure
    return 'started'
  }
  expect(await retryUntilAvailable(start, { waitMs: 30_000, report: (line) => lines.push(line) })).toBe('started')
  expect(lines).toHaveLength(2)
})

test('gives up after the configured time', async () => {
  const started = retryUntilAvailable(() => Promise.reject(outage()), { waitMs: 0, report: () => undefined })
  await expect(started).rejects.toThrow(StartError)
})

test.each([
  ['any other error of a start', new StartError('SERVER_SECRET does not match')],
  [
    'an address that does not exist',
    new ListenError(Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' }), { host: 'relay.invalid', port: 1 }),
  ],
])('reports %s at once', async (_what, wrong) => {
  const started = retryUntilAvailable(() => Promise.reject(wrong), {
    waitMs: 30_000,
    report: () => expect.unreachable(),
  })
  await expect(started).rejects.toBe(wrong)
})
