import assert from 'node:assert/strict'
import { eventually } from '../api-client.ts'
import type { Emulator } from '../emulator.ts'
import type { CallbackServer } from './callback-server.ts'
import { OriginApiError, OriginClient, type OriginLogin } from './origin-client.ts'

/** A relay or a gateway, with a virtual modem, and a server for the webhooks of the bridges. */
export interface OriginWorld {
  readonly url: string
  readonly user: OriginLogin
  readonly emulator: Emulator
  readonly callbacks: CallbackServer
}

/** A program that is pointed at the gateway. Each step throws if the gateway does not behave as the program expects. */
export interface OriginStep {
  readonly name: string
  /** `relay` for a step that needs tokens or phones. */
  readonly place: 'anywhere' | 'relay'
  run(world: OriginWorld): Promise<void>
}

export const apiUrl = ({ url }: OriginWorld) => `${url}/3rdparty/v1`

export const clientOf = (world: OriginWorld) => OriginClient.withPassword(apiUrl(world), world.user)

/** Returns a number that no other step uses. */
export function newNumber(): string {
  numbers += 1
  return `+4474001${String(numbers).padStart(5, '0')}`
}

let numbers = 0

/** Waits until the message has been delivered, and checks that exactly this text was sent to the number. */
export async function expectDelivered(world: OriginWorld, id: string, number: string, text: string): Promise<void> {
  const client = clientOf(world)
  await eventually(
    () => client.getState(id),
    ({ state }) => state === 'Delivered',
  )
  assert.deepEqual(textsTo(world, number), [text])
}

export function textsTo({ emulator }: OriginWorld, number: string): (string | null)[] {
  return emulator
    .ledger()
    .filter(({ destination }) => destination === number)
    .map(({ text }) => text)
}

/** Checks that the gateway refuses a call with this status, and with the members `code` and `message`. */
export async function expectRefusal(call: Promise<unknown>, status: number): Promise<void> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof OriginApiError, `expected ${status}, but got ${error}`)
  assert.equal(error.status, status)
  const body = JSON.parse(error.message.slice(error.message.indexOf('{'))) as { code: number; message: string }
  assert.deepEqual([body.code, typeof body.message], [status, 'string'])
}

/** The range of times around now. */
export const aroundNow = () => ({ sinceMs: Date.now() - 3_600_000, untilMs: Date.now() + 3_600_000 })
