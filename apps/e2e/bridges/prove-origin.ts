import { House } from '../src/house/house.ts'
import { bridgeSteps } from '../src/house/origin/bridge-steps.ts'
import { CallbackServer } from '../src/house/origin/callback-server.ts'
import { clientSteps } from '../src/house/origin/client-steps.ts'
import { OriginClient } from '../src/house/origin/origin-client.ts'
import { apiUrl, newNumber, type OriginWorld, textsTo } from '../src/house/origin/origin-world.ts'
import { FALLBACK_TIMEOUT_MS, sendFallback } from '../src/house/origin/twilio-fallback.ts'
import type { BridgeProof, ProofWorld } from './bridge-proof.ts'

interface OriginHouse extends OriginWorld {
  readonly house: House
}

/**
 * Proves that the Go client, the command line and the bridges of SMS Gateway for Android can be pointed at a relay. The
 * registries do not have these programs, so the proof uses programs that make the same requests.
 */
export const originProof: BridgeProof = {
  subject: 'origin',
  packages: [],
  steps: [
    ...[...clientSteps, ...bridgeSteps].map(
      ({ name, run }) => [name, async (world: ProofWorld) => checked(await houseOf(world), run)] as const,
    ),
    [
      'the fallback for Twilio loses nothing and sends nothing twice while the relay is killed',
      async (world) => killDuringFallback(await houseOf(world)),
    ],
  ],
}

let running: Promise<OriginHouse> | undefined

/** Starts a relay with a virtual modem once, for all steps. */
function houseOf({ onEnd }: ProofWorld): Promise<OriginHouse> {
  const start = async () => {
    const house = await House.start({
      modems: [{ number: '+447700900001' }],
      relay: { MIX_EMULATED_MODEMS: '1' },
    })
    onEnd(() => house.stop())
    const callbacks = await CallbackServer.start()
    onEnd(() => callbacks.stop())
    return { house, url: house.relayUrl, user: house.user, emulator: house.emulator, callbacks }
  }
  running ??= start()
  return running
}

async function checked(world: OriginHouse, run: (world: OriginWorld) => Promise<void>): Promise<void> {
  await run(world)
  const [problem] = world.callbacks.problems
  if (problem !== undefined) throw new Error(problem)
}

const MESSAGES = 200
/** The fallback starts two workers for each core. */
const WORKERS = 4

async function killDuringFallback(world: OriginHouse): Promise<void> {
  const { house } = world
  const client = OriginClient.withPassword(apiUrl(world), world.user, FALLBACK_TIMEOUT_MS)
  const messages = Array.from({ length: MESSAGES }, (_, at) => ({
    sid: `SM${crypto.randomUUID().replaceAll('-', '')}`,
    to: newNumber(),
    body: `Message ${at}`,
  }))
  const results = new Map<string, string>()
  const waiting = [...messages]
  const worker = async () => {
    for (let message = waiting.shift(); message !== undefined; message = waiting.shift())
      results.set(message.sid, await sendFallback(client, message))
  }
  const killer = async () => {
    for (const share of [0.2, 0.5, 0.8]) {
      while (results.size < share * MESSAGES) await new Promise((resolve) => setTimeout(resolve, 10))
      await house.relay.kill()
      await house.restartRelay()
    }
  }
  await Promise.all([killer(), ...Array.from({ length: WORKERS }, worker)])
  for (const { sid, to, body } of messages) {
    const result = results.get(sid)
    if (result === 'refused') throw new Error(`the relay refused ${sid}`)
    // The fallback may give up a message that the relay accepted just before it was killed.
    const wasAccepted = result === 'sent' || (await house.api.ask('GET', `/messages/${sid}`)).status === 200
    if (wasAccepted) await house.api.until(sid, ({ state }) => state === 'Delivered')
    const texts = textsTo(world, to)
    if (texts.join('|') !== (wasAccepted ? body : '')) throw new Error(`${sid} ${result}: ${JSON.stringify(texts)}`)
  }
}
