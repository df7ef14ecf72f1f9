import { describe, test } from 'vitest'
import { eventually } from './house/api-client.ts'
import { House } from './house/house.ts'
import { LinkProxy } from './house/peers/link-proxy.ts'
import { Traffic } from './house/traffic.ts'

const partitions = [
  { name: 'both ways for a second', up: true, down: true, forMs: 1_000 },
  { name: 'both ways for 90 s', up: true, down: true, forMs: 90_000 },
  { name: 'only from the agent, for 60 s', up: true, down: false, forMs: 60_000 },
  { name: 'only from the relay, for 60 s', up: false, down: true, forMs: 60_000 },
]

// The tests mostly wait, so they run at the same time, each with its own system.
describe.concurrent('the link drops data', () => {
  for (const { name, up, down, forMs } of partitions) {
    test(`${name}: ${forMs < 60_000 ? '' : 'the agent disconnects, and '}no message is lost or sent twice`, async ({
      expect,
    }) => {
      const house = await House.start({ startsAgent: false })
      const proxy = await LinkProxy.start(Number(new URL(house.relayUrl).port))
      try {
        await house.startAgent({ RELAY_URL: `ws://127.0.0.1:${proxy.port}` })
        const traffic = new Traffic(house, 1)
        await traffic.send('before')
        proxy.swallowsUp = up
        proxy.swallowsDown = down
        const cutAt = performance.now()
        await traffic.send('during')
        await traffic.receive('during')
        // Lets the link work again only when both ends have detected the disconnection. The tests of libs/link check
        // that this takes at most 45 s.
        if (forMs >= 60_000) await disconnected(house)
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, forMs - (performance.now() - cutAt))))
        proxy.swallowsUp = false
        proxy.swallowsDown = false
        const { lost, twice, problems } = await traffic.audit()
        expect({ lost, twice, problems }).toEqual({ lost: [], twice: [], problems: [] })
      } finally {
        await house.stop()
        await proxy.stop()
      }
    })
  }
})

async function disconnected(house: House): Promise<void> {
  const lines = () => house.agent?.lines ?? []
  await eventually(
    () => lines().some((line) => line.includes('disconnected from the relay, retrying')),
    (isLogged) => isLogged,
  )
}
