import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from './house/api-client.ts'
import { House } from './house/house.ts'
import { LinkProxy } from './house/link-proxy.ts'
import { Traffic } from './house/traffic.ts'

let house: House
let proxy: LinkProxy

beforeAll(async () => {
  house = await House.start()
  proxy = await LinkProxy.start(Number(new URL(house.relayUrl).port))
  await house.agent?.stop()
  await house.startAgent({ RELAY_URL: `ws://127.0.0.1:${proxy.port}` })
}, 240_000)

afterAll(async () => {
  await house?.stop()
  await proxy?.stop()
}, 60_000)

const partitions = [
  { name: 'both ways for a second', up: true, down: true, forMs: 1_000 },
  { name: 'both ways for 90 s', up: true, down: true, forMs: 90_000 },
  { name: 'only what the agent says, for 60 s', up: true, down: false, forMs: 60_000 },
  { name: 'only what the relay says, for 60 s', up: false, down: true, forMs: 60_000 },
]

for (const [at, { name, up, down, forMs }] of partitions.entries()) {
  test(`the link swallows ${name}: noticed within 45 s, nothing is lost or sent twice`, async () => {
    const traffic = new Traffic(house, 2000 + at)
    await traffic.send('before')
    proxy.swallowsUp = up
    proxy.swallowsDown = down
    const cutAt = performance.now()
    await traffic.send('during')
    await traffic.receive('during')
    // The lease of a connection that is gone is not renewed, or it is closed: both are seen from outside.
    const noticed =
      forMs < 60_000
        ? undefined
        : await eventually(
            () => [...(house.agent?.lines ?? [])].some((line) => line.includes('no connection to the relay')),
            (isSaid) => isSaid,
            60_000,
          ).then(() => performance.now() - cutAt)
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, forMs - (performance.now() - cutAt))))
    proxy.swallowsUp = false
    proxy.swallowsDown = false
    const { lost, twice, problems } = await traffic.audit()
    expect({ lost, twice, problems }).toEqual({ lost: [], twice: [], problems: [] })
    if (noticed !== undefined) expect(noticed).toBeLessThan(47_000)
  }, 400_000)
}
