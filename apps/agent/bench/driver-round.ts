import { Modem } from '@smsgw/modem/modem'
import type { OpenPort } from '../src/ports/open-port.ts'
import { monotonicClock } from '../src/time/monotonic-clock.ts'
import { message, type Round } from './round.ts'

/** Uses the driver as the agent does: sends each message when the result of the previous message is known. */
export async function driverRound(port: OpenPort, count: number): Promise<Round> {
  const modem = new Modem({ port, clock: monotonicClock, onEvent: () => undefined })
  const outcome = await modem.start()
  if (outcome.kind !== 'started') throw new Error(`the modem could not be set up: ${JSON.stringify(outcome)}`)
  // Performs the tasks that follow the start of a modem, such as reading messages and the network state, so that they
  // are not measured.
  await modem.sweep()
  const startMs = performance.now()
  for (let done = 0; done < count; done += 1) {
    const answer = await modem.ask({ text: 'AT', timeoutMs: 5_000, read: () => true })
    if (answer.kind !== 'value') throw new Error(`AT: ${JSON.stringify(answer)}`)
  }
  const betweenMs = performance.now()
  for (let done = 0; done < count; done += 1) {
    const submitted = await modem.submit(message, { id: String(done), beforePdu: async () => 'go' })
    if (submitted.kind !== 'accepted') throw new Error(`message ${done}: ${JSON.stringify(submitted)}`)
  }
  const endMs = performance.now()
  modem.stop()
  return { dialogue: betweenMs - startMs, submit: endMs - betweenMs }
}
