import { textOfUserData } from '@smsgw/sms/fields/user-data'
import type { FaultName } from '@smsgw/virtual-modem/faults/fault-catalogue'
import type { FaultSettings } from '@smsgw/virtual-modem/faults/fault-control'
import { onTestFinished } from 'vitest'
import { HilinkModem } from '../hilink/hilink-modem.ts'
import type { ModemEvent } from '../modem-event.ts'
import type { ModemOptions } from '../modem-options.ts'
import type { Incoming } from '../receive/incoming-message.ts'
import { PinMemory } from '../setup/pin-memory.ts'
import { StickWorld, startMs } from './stick-world.ts'

/** The driver of a virtual HiLink stick. */
export class DrivenStick {
  readonly world: StickWorld
  readonly events: ModemEvent[] = []
  readonly modem: HilinkModem

  constructor(world = new StickWorld(), options: ModemOptions = {}, pinMemory = new PinMemory()) {
    this.world = world
    this.modem = new HilinkModem({
      port: world,
      clock: world.clock,
      onEvent: (event) => this.events.push(event),
      options: {
        wallClock: { epochMs: () => startMs + world.clock.nowMs(), zoneQuartersAt: () => 0 },
        ...options,
      },
      pinMemory,
    })
    onTestFinished(() => this.modem.stop())
  }

  async start() {
    const outcome = await this.world.passing(this.modem.start())
    await this.world.pass(5_000)
    return outcome
  }

  send(text: string, destination = '+447400123456', beforePdu = async (): Promise<'go' | 'abort'> => 'go') {
    return this.world.passing(this.modem.submit({ text, destination }, { id: 'a', beforePdu }))
  }

  get incoming(): readonly Incoming[] {
    return this.events.flatMap((event) => (event.kind === 'incoming' ? [event.incoming] : []))
  }

  /** The texts of the incoming PDUs, in the order of their arrival. */
  get texts(): readonly string[] {
    return this.incoming.map((each) =>
      each.kind === 'message' ? `${each.deliver.originator.value} ${textOfUserData(each.deliver.userData)}` : each.kind,
    )
  }

  get states(): readonly string[] {
    return this.events.flatMap((event) => (event.kind === 'state' ? [event.state.name] : []))
  }

  async delete({ source, pdu }: Incoming) {
    if (source.kind !== 'stored') throw new Error('not stored')
    return (await this.world.passing(this.modem.deleteMessage(source, pdu))).kind
  }
}

export async function started(faults?: FaultSettings, options?: ModemOptions): Promise<DrivenStick> {
  const driven = new DrivenStick(new StickWorld(), options)
  await driven.start()
  for (const [name, settings] of Object.entries(faults ?? {}))
    driven.world.stick.faults.set(name as FaultName, settings)
  return driven
}
