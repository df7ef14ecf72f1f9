import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll } from 'vitest'
import type { Database } from '../store/database.ts'
import { startRelayProcess, type TestRelayProcess } from './relay-process.ts'
import { useTestDatabase } from './test-database.ts'

interface TwoRelays {
  readonly database: Database
  /** Value of the `Authorization` header with the password of the only account, which has one device. */
  readonly auth: string
  readonly urls: readonly string[]
  /** Returns the URL of a path of the API: on one relay for even numbers, on the other relay for odd numbers. */
  urlOf(index: number, path: string): string
}

/** Two relay processes with one database, for races. Registers the hooks that start and stop them. */
export function useTwoRelays(): TwoRelays {
  const password = randomBytes(12).toString('base64url')
  const db = useTestDatabase()
  const relays: TestRelayProcess[] = []
  beforeAll(async () => {
    const settings = {
      DATABASE_URL: db.url,
      SERVER_SECRET: randomBytes(32).toString('base64'),
      ADMIN_USERNAME: 'sms',
      ADMIN_PASSWORD: password,
    }
    relays.push(...(await Promise.all([settings, settings].map(startRelayProcess))))
    const { id: accountId } = await db.database.account.findFirstOrThrow()
    await db.database.device.create({ data: { id: 'd'.repeat(21), accountId, name: 'device' } })
  })
  afterAll(async () => {
    for (const { kill } of relays) kill('SIGTERM')
    await Promise.all(relays.map(({ ended }) => ended))
  })
  return {
    get database() {
      return db.database
    },
    auth: `Basic ${Buffer.from(`sms:${password}`).toString('base64')}`,
    get urls() {
      return relays.map(({ url }) => url)
    },
    urlOf: (index, path) => `${relays[index % relays.length]?.url}/3rdparty/v1${path}`,
  }
}
