// Measures the delay of a webhook event on an idle relay, and deliveries per second under load, compared with a plain
// loop that uses the same HTTP client and receiver. Also checks that all events arrive in time even if receivers
// misbehave and relays are killed.
//
//   node apps/relay/bench/bench-webhooks.ts [--latency 300] [--deliveries 10000] [--rounds 3] [--events 10000]
//     [--rate 60] [--relays 3] [--kill-seconds 8]
//
// The value 0 for `--latency`, `--deliveries` or `--events` skips that part. On a shared machine only the ratio is
// comparable.
import { parseArgs } from 'node:util'
import { withBenchDatabase } from './bench-database.ts'
import { benchWebhookLatency, benchWebhookRate } from './load/webhook-speed.ts'
import { benchWebhookStorm } from './load/webhook-storm.ts'

const { values } = parseArgs({
  options: {
    latency: { type: 'string', default: '300' },
    deliveries: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '3' },
    events: { type: 'string', default: '10000' },
    rate: { type: 'string', default: '60' },
    relays: { type: 'string', default: '3' },
    'kill-seconds': { type: 'string', default: '8' },
  },
})
const number = (name: keyof typeof values) => Number(values[name])

if (number('latency') > 0) await withBenchDatabase((database) => benchWebhookLatency(database, number('latency')))
if (number('deliveries') > 0)
  await withBenchDatabase((database) => benchWebhookRate(database, number('deliveries'), number('rounds')))
if (number('events') > 0)
  await withBenchDatabase((database) =>
    benchWebhookStorm(database, {
      events: number('events'),
      eventsPerSecond: number('rate'),
      relays: number('relays'),
      killEveryMs: number('kill-seconds') * 1000,
    }),
  )
