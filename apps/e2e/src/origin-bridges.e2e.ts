// The command line and the bridges of SMS Gateway for Android against a relay and a gateway. The programs are not in
// any registry that the tests use, so programs of this repository make the same requests.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bridgeSteps } from './house/origin/bridge-steps.ts'
import { CallbackServer } from './house/origin/callback-server.ts'
import { clientSteps } from './house/origin/client-steps.ts'
import { startGatewayPlace, startRelayPlace, type TestPlace } from './house/test-place.ts'

const steps = [...clientSteps, ...bridgeSteps]

const places = [
  { place: 'relay', start: () => startRelayPlace({ MIX_EMULATED_MODEMS: '1' }) },
  { place: 'gateway', start: startGatewayPlace },
] as const

for (const { place, start } of places) {
  describe(`a ${place}`, () => {
    let running: TestPlace
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
