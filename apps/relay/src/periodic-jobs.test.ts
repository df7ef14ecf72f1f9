import { openLog } from '@smsgw/daemon/log/log'
import { beforeEach, expect, test } from 'vitest'
import { readRelayConfig } from './config.ts'
import { storeSims } from './link/claim/store-sims-statement.ts'
import { type DispatchWorld, dispatchWorld } from './link/testing/dispatch-world.ts'
import { periodicJobs } from './periodic-jobs.ts'
import { systemRandom } from './random.ts'
import { secretBox } from './store/secret-box.ts'
import { useTestDatabase } from './testing/test-database.ts'

const secret = 'a secret of a test with enough characters'
const day = 86_400
const store = useTestDatabase()
let world: DispatchWorld

beforeEach(async () => {
  world = await dispatchWorld(store.database)
  await world.webhook('sms:failed')
})

/** Runs one job, if it is needed. Returns how many times it woke the delivery of webhooks. */
async function run(name: string): Promise<number> {
  let woken = 0
  const jobs = periodicJobs({
    url: store.url,
    database: store.database,
    log: openLog('fatal', { write: () => undefined }),
    clock: { now: () => world.now },
    random: systemRandom,
    box: secretBox(secret, systemRandom),
    config: readRelayConfig({ SERVER_SECRET: secret }),
    onMoved: () => undefined,
    outbox: {
      wake() {
        woken += 1
      },
    },
  })
  const job = jobs.find((one) => one.name === name)
  if ((await job?.isNeeded?.()) !== false) await job?.run()
  return woken
}

const endings: readonly [job: string, prepare: () => Promise<void>][] = [
  [
    'expire messages',
    async () => {
      await world.message('m', { validUntil: new Date(world.now.getTime() + 1000) })
      world.pass(2)
    },
  ],
  [
    'end messages of virtual modems',
    async () => {
      await world.sims([{ simNumber: 1, state: 'ready', isEmulated: true }])
      await world.message('m')
      await world.device('second')
      await storeSims(store.database, 'second', [{ simNumber: 1, state: 'ready' }], world.now)
    },
  ],
  [
    'end messages in lost journals',
    async () => {
      await world.connect()
      await world.message('m', { journal: 'journal' })
      await world.connect({ journalId: 'next' })
      world.pass(day)
    },
  ],
  [
    'end messages of silent devices',
    async () => {
      await world.message('m', { journal: 'journal' })
      world.pass(30 * day)
    },
  ],
]

test.each(endings)('%s: the webhooks of messages that end are delivered at once', async (name, prepare) => {
  expect(await run(name)).toBe(0)
  await prepare()
  expect(await run(name)).toBe(1)
  expect(await world.outbox()).toEqual(['sms:failed m'])
  expect(await run(name)).toBe(0)
})
