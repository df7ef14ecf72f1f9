// The command line and the bridges of SMS Gateway for Android against a relay and a gateway. The programs are not in any
// registry that the tests use, so these stand for them and make the same requests.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Emulator } from './house/emulator.ts'
import { credentialsIn, Gateway, newFolder } from './house/gateway.ts'
import { House } from './house/house.ts'
import { bridgeSteps } from './house/origin/bridge-steps.ts'
import { CallbackServer } from './house/origin/callback-server.ts'
import { clientSteps } from './house/origin/client-steps.ts'
import type { OriginWorld } from './house/origin/origin-world.ts'

const steps = [...clientSteps, ...bridgeSteps]

interface Place extends Omit<OriginWorld, 'callbacks'> {
  stop(): Promise<void>
}

const places = [
  { place: 'relay', start: startRelay },
  { place: 'gateway', start: startGateway },
] as const

for (const { place, start } of places) {
  describe(`a ${place}`, () => {
    let running: Place
    let callbacks: CallbackServer

    beforeAll(async () => {
      running = await start()
      callbacks = await CallbackServer.start()
    })

    afterAll(async () => {
      await running?.stop()
      await callbacks?.stop()
    })

    test.each(steps.filter((step) => step.place === 'anywhere' || step.place === place))('$name', async ({ run }) => {
      await run({ ...running, callbacks })
      expect(callbacks.problems).toEqual([])
    })
  })
}

async function startRelay(): Promise<Place> {
  const house = await House.start({ modems: [{ number: '+447700900001' }], relay: { MIX_EMULATED_MODEMS: '1' } })
  return { url: house.relayUrl, emulator: house.emulator, user: house.user, stop: () => house.stop() }
}

async function startGateway(): Promise<Place> {
  const folder = newFolder()
  const emulator = await Emulator.start(folder, [{ number: '+447700900001' }])
  const gateway = await Gateway.start({ MODEMS: emulator.pty() }, { folder })
  await gateway.untilReady()
  return {
    url: gateway.url,
    emulator,
    user: credentialsIn(folder),
    async stop() {
      await gateway.process.stop()
      await emulator.process.stop()
      await gateway.stop()
    },
  }
}
