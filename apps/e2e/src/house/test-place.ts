import { Emulator } from './emulator.ts'
import { credentialsIn, Gateway, preparedFolder } from './gateway.ts'
import { House } from './house.ts'

/** A relay or a gateway with a virtual modem, for tests that run against both. */
export interface TestPlace {
  readonly url: string
  readonly emulator: Emulator
  readonly user: { readonly username: string; readonly password: string }
  stop(): Promise<void>
}

export async function startRelayPlace(relay: Readonly<Record<string, string>> = {}): Promise<TestPlace> {
  const house = await House.start({ modems: [{ number: '+447700900001' }], relay })
  return { url: house.relayUrl, emulator: house.emulator, user: house.user, stop: () => house.stop() }
}

export async function startGatewayPlace(): Promise<TestPlace> {
  const folder = preparedFolder()
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
