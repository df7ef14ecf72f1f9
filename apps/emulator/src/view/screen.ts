import type { NetworkSnapshot } from '@smsgw/virtual-modem/network'
import type { ModemSnapshot } from '@smsgw/virtual-modem/virtual-modem'
import type { TrafficLine } from '../traffic-lines.ts'
import { bold, cut, dim, reverse, signalBars } from './layout.ts'

/** Everything that is on the screen. */
export interface Scene {
  readonly modems: readonly { readonly name: string; readonly where: string; readonly state: ModemSnapshot }[]
  readonly selected: number
  readonly network: NetworkSnapshot
  readonly traffic: readonly TrafficLine[]
  readonly events: readonly string[]
  /** What is being typed or was just done; the keys when nothing is. */
  readonly status: string
}

/** Exactly `rows` lines of at most `columns` characters. */
export function drawScreen(scene: Scene, columns: number, rows: number): string[] {
  const title = (text: string) => reverse(cut(` ${text}`.padEnd(columns), columns))
  const chosen = scene.modems[scene.selected]
  const above = [
    title('modems'),
    ...scene.modems.flatMap((modem, index) => modemLines(modem, index === scene.selected, columns)),
    title('network'),
    cut(networkLine(scene.network), columns),
  ]
  const events = scene.events.slice(-Math.max(2, Math.floor(rows / 6))).map((line) => cut(line, columns))
  const below = [title('what happened'), ...events, cut(scene.status, columns)]
  const trafficTitle = title(`traffic of ${chosen?.name ?? 'nobody'}    → to the modem    ← from it`)
  const room = Math.max(0, rows - above.length - below.length - 1)
  const traffic = room === 0 ? [] : scene.traffic.slice(-room).map((line) => trafficLine(line, columns))
  const middle = [trafficTitle, ...traffic, ...Array<string>(room - traffic.length).fill('')]
  // On a small terminal the status line stays and the rest gives way.
  const lines = [...above, ...middle, ...below.slice(0, -1)].slice(0, Math.max(0, rows - 1))
  return [...lines, below.at(-1) ?? ''].slice(0, rows)
}

type SceneModem = Scene['modems'][number]

function modemLines({ name, where, state }: SceneModem, selected: boolean, columns: number): string[] {
  const { sim, coverage } = state
  const power = state.hung ? 'hung' : state.port === 'open' ? state.power : `${state.power}, port ${state.port}`
  const air =
    coverage === undefined
      ? 'no network'
      : `${signalBars(coverage.signalDbm)} ${coverage.technology} stat ${coverage.stat}`
  const memories = state.memories.map((memory) => `${memory.name} ${memory.used}/${memory.capacity}`).join(' ')
  const card =
    sim === undefined
      ? 'no SIM'
      : `SIM ${sim.msisdn} ICCID ${sim.iccid} IMSI ${sim.imsi} PIN ${sim.pin} (${sim.pinAttemptsLeft} left) contacts ${sim.contacts} MR ${sim.lastMessageReference}`
  const faults = state.faults.map((fault) => `${fault.name}${fault.struck > 0 ? `×${fault.struck}` : ''}`).join(' ')
  const first = cut(
    `${selected ? '▸' : ' '} ${name}  ${state.personality}  ${power}  ${air}  ${memories}  ${where}`,
    columns,
  )
  const second = cut(`    ${card}  out ${state.counts.submitted} in ${state.counts.arrived}`, columns)
  const third = faults === '' ? [] : [cut(`    faults: ${faults}`, columns)]
  return [selected ? bold(first) : first, dim(second), ...third]
}

function networkLine({ operator, latencyMs, accepted, policies, subscribers }: NetworkSnapshot): string {
  const latency = typeof latencyMs === 'number' ? `${latencyMs}` : `${latencyMs.minMs}–${latencyMs.maxMs}`
  const kept = subscribers.reduce((sum, subscriber) => sum + subscriber.kept, 0)
  return `  ${operator.name} ${operator.numeric}  latency ${latency} ms  accepted ${accepted}  kept ${kept}  rules ${policies.length}`
}

function trafficLine({ direction, text }: TrafficLine, columns: number): string {
  const line = cut(`${direction === 'in' ? '→' : '←'} ${text}`, columns)
  return direction === 'in' ? bold(line) : line
}
