import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { reachDatabase } from './reach-database.ts'

test('one that takes connections and says nothing, as a machine does that has too much to do, is waited for', async () => {
  const mute = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1')
  await once(mute, 'listening')
  const { port } = mute.address() as AddressInfo
  const said: string[] = []
  const patience = { waitMs: 100, report: (line: string) => said.push(line) }
  await expect(reachDatabase(`postgresql://sms@127.0.0.1:${port}/smsgw`, patience)).rejects.toThrow(
    `PostgreSQL at 127.0.0.1:${port}/smsgw (user sms) does not answer (timeout expired), tried 1 times`,
  )
  mute.close()
}, 20_000)
