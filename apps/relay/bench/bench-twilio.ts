// Measures how many messages are accepted per second with Twilio's interface, compared with `POST /messages` of the
// same relay in the same run. Rounds of the two interfaces alternate, and medians are compared.
//
//   node apps/relay/bench/bench-twilio.ts [--connections 32] [--seconds 3] [--rounds 5]
import { parseArgs } from 'node:util'
import { withBenchDatabase } from './bench-database.ts'
import { withBenchRelays } from './bench-relays.ts'
import { median, print } from './load/figures.ts'
import { type Load, postRequest, runLoad } from './load/load.ts'

const { values } = parseArgs({
  options: {
    connections: { type: 'string', default: '32' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '5' },
  },
})
const [connections, seconds, rounds] = [Number(values.connections), Number(values.seconds), Number(values.rounds)]
const TEXT = 'Your parcel no. 4711 arrives tomorrow between 10:00 and 12:00'
let sent = 0

await withBenchDatabase((database) =>
  withBenchRelays(database, 1, async ({ urls: [url = ''], auth }) => {
    const account = await fetch(`${url}/2010-04-01/Accounts.json`, { headers: { authorization: auth } })
    const { accounts } = (await account.json()) as { readonly accounts: readonly { readonly sid: string }[] }
    const sid = accounts[0]?.sid ?? ''
    const service = `MG${sid.slice(2)}`
    const interfaces = {
      'POST /messages': () =>
        postRequest(
          '/3rdparty/v1/messages',
          { authorization: auth },
          JSON.stringify({ phoneNumbers: [number()], textMessage: { text: TEXT } }),
        ),
      Twilio: () =>
        postRequest(
          `/2010-04-01/Accounts/${sid}/Messages.json`,
          { authorization: auth, 'content-type': 'application/x-www-form-urlencoded' },
          new URLSearchParams({ To: number(), Body: TEXT, MessagingServiceSid: service }).toString(),
        ),
    }
    const loads = new Map<string, Load[]>()
    // The first round compiles the code and plans the statements.
    for (let round = 0; round <= rounds; round++) {
      for (const [name, request] of Object.entries(interfaces)) {
        const load = accepted(await runLoad({ url, connections, seconds, request }))
        if (round > 0) loads.set(name, [...(loads.get(name) ?? []), load])
      }
    }
    print(`accepted at ${connections} connections`, 'a second', 'p50 ms', 'p99 ms')
    for (const [name, measured] of loads) print(name, ...figuresOf(measured))
    const [plain = 1, twilio = 0] = [...loads.values()].map((measured) => median(measured.map(perSecond)))
    print('ratio', (twilio / plain).toFixed(2))
  }),
)

function number(): string {
  return `+4915112${String(100_000 + (sent++ % 900_000))}`
}

function accepted(load: Load): Load {
  const others = [...load.statuses.keys()].filter((status) => status !== 202 && status !== 201)
  if (others.length > 0) throw new Error(`answers with status ${others.join(', ')}`)
  return load
}

function perSecond({ perSecond }: Load): number {
  return perSecond
}

function figuresOf(loads: readonly Load[]): string[] {
  return [
    String(Math.round(median(loads.map(perSecond)))),
    median(loads.map(({ p50Ms }) => p50Ms)).toFixed(1),
    median(loads.map(({ p99Ms }) => p99Ms)).toFixed(1),
  ]
}
