import type { RunningEmulator } from '../emulator.ts'
import { eventText } from './network-events.ts'
import { harmless, harmlessJson } from './terminal-text.ts'
import { TrafficLines } from './traffic-lines.ts'

/** Returns the addresses as lines for people. */
export function addressLines({ world, control, ledger, seed }: RunningEmulator): string[] {
  const modems = world.modems.map(({ name, virtual, ports }) => {
    const where = ports.map((port) => `${port.address} (${port.describe()})`).join(' and ')
    return `${name}  ${virtual.personality.title}  IMEI ${virtual.imei}  number ${virtual.sim?.msisdn ?? 'none'}  at ${where}`
  })
  return [
    ...modems,
    `control  ${control?.address ?? 'none'}`,
    `ledger   ${ledger?.path ?? 'none'}`,
    `seed     ${seed}`,
    'ready; press Ctrl-C to stop',
  ].map(harmless)
}

/** Returns the addresses as one line of JSON for programs. */
export function addressJson({ world, control, ledger, seed }: RunningEmulator): string {
  const modems = world.modems.map(({ name, virtual, ports }) => ({
    name,
    imei: virtual.imei,
    number: virtual.sim?.msisdn,
    ports: ports.map((port) => port.address),
  }))
  return harmlessJson({ modems, control: control?.address, ledger: ledger?.path, seed })
}

/** Prints traffic and network events line by line until the emulator ends. */
export function reportLines({ traffic, events }: RunningEmulator, print: (line: string) => void): void {
  const lines = new TrafficLines(({ epochMs, modem, direction, text }) =>
    print(harmless(`${timeOf(epochMs)} ${modem} ${direction === 'in' ? '→' : '←'} ${text}`)),
  )
  let idle: NodeJS.Timeout | undefined
  traffic.listen((record) => {
    lines.add(record)
    clearTimeout(idle)
    idle = setTimeout(() => lines.flush(), IDLE_MS)
  })
  events.listen(({ epochMs, event }) => print(harmless(`${timeOf(epochMs)} network ${eventText(event)}`)))
}

/** `14:03:59.120` in local time. */
function timeOf(epochMs: number): string {
  const at = new Date(epochMs)
  return `${at.toTimeString().slice(0, 8)}.${String(at.getMilliseconds()).padStart(3, '0')}`
}

/** Output that is not followed by a line end within this time counts as a prompt. */
const IDLE_MS = 30
