// Sends POST requests with the same idempotency keys to two relays at the same time. Each key must result in one
// message and one answer.
//
//   node apps/relay/bench/bench-race.ts [--full]
import { parseArgs } from 'node:util'
import { raceForKeys } from '../src/messages/testing/race-for-keys.ts'
import { withBenchDatabase } from './bench-database.ts'
import { withBenchRelays } from './bench-relays.ts'
import { print } from './load/figures.ts'

const { values } = parseArgs({ options: { full: { type: 'boolean', default: false } } })
const [keys, postsOfAKey] = values.full ? [200, 100] : [50, 40]

await withBenchDatabase((database) =>
  withBenchRelays(database, 2, async ({ urls, auth }) => {
    const started = performance.now()
    const { statuses, answersOfAKey, firstsOfAKey } = await raceForKeys({ relays: urls, auth, keys, postsOfAKey })
    const seconds = (performance.now() - started) / 1000
    const { rows } = await database.pool.query<{ count: number }>('SELECT count(*)::int FROM messages')
    const messages = rows[0]?.count ?? 0
    const differing = answersOfAKey.filter((answers) => answers !== 1).length
    const isRight = messages === keys && differing === 0 && firstsOfAKey.every((firsts) => firsts === 1)
    print(`race for ${keys} keys, ${postsOfAKey} posts each, 2 relays`, `${messages} messages`, `${differing} differ`)
    print('', `status ${[...statuses].join(', ')}`, `${seconds.toFixed(1)} s`)
    if (!isRight) process.exitCode = 1
  }),
)
