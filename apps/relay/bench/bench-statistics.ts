// Measures statistics over HTTP with authentication, for an account with a week of sent messages and half as many
// received messages. Prints medians of twenty requests.
//
//   node apps/relay/bench/bench-statistics.ts [--messages 100000]
import { parseArgs } from 'node:util'
import { callUrl } from '../src/testing/call-url.ts'
import { withBenchDatabase } from './bench-database.ts'
import { withBenchRelays } from './bench-relays.ts'
import { median, print } from './load/figures.ts'

const TIMES = 20
const { values } = parseArgs({ options: { messages: { type: 'string', default: '100000' } } })
const messages = Number(values.messages)

await withBenchDatabase((database) =>
  withBenchRelays(database, 1, async ({ urls: [url], auth, accountId, deviceId }) => {
    await database.pool.query(
      `INSERT INTO messages (account_id, id, device_id, created_at, text, state, sent_at, delivered_at, finished_at)
       SELECT $2, 'm' || n, $3, at, 'Your parcel arrives tomorrow', 'Delivered', at + interval '4 s', at + interval '9 s',
         at + interval '4 s'
       FROM generate_series(1, $1::int) n, LATERAL (SELECT now() - n * interval '7 days' / $1::int AS at) AS created`,
      [messages, accountId, deviceId],
    )
    await database.pool.query(
      `INSERT INTO inbox (account_id, id, device_id, type, sender, created_at, text)
       SELECT $2, 'i' || n, $3, 'SMS', '+4915112345678', now() - n * interval '14 days' / $1::int, 'Thank you'
       FROM generate_series(1, $1::int / 2) n`,
      [messages, accountId, deviceId],
    )
    await database.pool.query('VACUUM ANALYZE')
    print(`statistics over ${messages} messages a week`, 'ms')
    for (const period of ['hour', 'day', 'week']) {
      const durations: number[] = []
      for (let time = 0; time < TIMES; time += 1) {
        const started = performance.now()
        const { status } = await callUrl('GET', `${url}/3rdparty/v1/statistics?period=${period}`, { auth })
        if (status !== 200) throw new Error(`answered ${status}`)
        durations.push(performance.now() - started)
      }
      print(period, median(durations).toFixed(1))
    }
  }),
)
