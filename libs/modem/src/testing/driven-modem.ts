import { Modem } from '../modem.ts'
import type { ModemEvent } from '../modem-event.ts'
import type { ModemOptions } from '../modem-options.ts'
import type { SubmitOptions, Submitted } from '../send/submit.ts'
import type { ModemSession, StartupOutcome } from '../setup/startup.ts'
import type { StartupFailure } from '../setup/startup-failure.ts'
import { type Answers, DescribedModem } from './described-modem.ts'
import { ManualClock } from './manual-clock.ts'

/** The driver, connected to a modem that the test describes, and all events of the driver. */
export class DrivenModem {
  readonly clock = new ManualClock()
  readonly events: ModemEvent[] = []
  readonly port: DescribedModem
  readonly modem: Modem

  constructor(answers: Answers = {}, options: ModemOptions = {}) {
    this.port = new DescribedModem(answers)
    this.modem = new Modem({
      port: this.port,
      clock: this.clock,
      onEvent: (event) => {
        this.events.push(event)
      },
      options,
    })
  }

  /** Sets the modem up and advances the clock as needed. */
  async start(): Promise<StartupOutcome> {
    const outcome = await this.passing(this.modem.start())
    await this.pass(0)
    return outcome
  }

  async session(): Promise<ModemSession> {
    const outcome = await this.start()
    if (outcome.kind !== 'started') throw new Error(`not started: ${JSON.stringify(outcome)}`)
    return outcome.session
  }

  async failure(): Promise<StartupFailure> {
    const outcome = await this.start()
    if (outcome.kind !== 'failed') throw new Error(`not failed: ${outcome.kind}`)
    return outcome.failure
  }

  /** Advances the clock and settles all promises. */
  pass(ms: number): Promise<void> {
    return this.clock.advance(ms)
  }

  /** Advances the clock by half a second at a time until the promise has settled. */
  async passing<T>(promise: Promise<T>): Promise<T> {
    let settled = false
    const watched = promise.finally(() => {
      settled = true
    })
    for (let i = 0; i < 2000 && !settled; i += 1) await this.pass(500)
    return watched
  }

  submit(id = 'a', options: Partial<SubmitOptions> = {}): Promise<Submitted> {
    return this.modem.submit(submitPdu, { id, beforePdu: async () => 'go', ...options })
  }

  kinds<K extends ModemEvent['kind']>(kind: K): Extract<ModemEvent, { kind: K }>[] {
    return this.events.filter((event): event is Extract<ModemEvent, { kind: K }> => event.kind === kind)
  }

  get states(): string[] {
    return this.kinds('state').map((event) => event.state.name)
  }

  /** Clears the recorded commands and events. */
  forget(): void {
    this.events.length = 0
    this.port.commands.length = 0
  }
}

/** "hello" to +46708251358, with the service centre of the SIM. */
export const submitPdu = {
  octets: Uint8Array.of(
    0,
    0x11,
    0,
    0x0b,
    0x91,
    0x64,
    0x07,
    0x28,
    0x15,
    0x53,
    0xf8,
    0,
    0,
    0xaa,
    5,
    0xe8,
    0x32,
    0x9b,
    0xfd,
    6,
  ),
  tpduLength: 19,
}

/** "hellohello" from +46708251358. */
export const deliverPdu = '07911326040000F0040B911346610089F60000208062917314080CC8F71D14969741F977FD07'
export const anotherDeliverPdu = '07911326040000F0040B911346610089F60000208062917314080AE8329BFD4697D9EC37'
/** Class 0. */
export const flashPdu = '07911326040000F0040B911346610089F60010208062917314080AE8329BFD4697D9EC37'
/** Delivered, reference 17. */
export const reportPdu = '0006110B911346610089F62080629173140820806291731408 00'.replace(' ', '')
