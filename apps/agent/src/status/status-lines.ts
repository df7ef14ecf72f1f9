import { asTyped } from '@smsgw/daemon/as-typed'
import { inThisProcess } from '../link/in-process-socket.ts'
import type { AgentStatus, ModemStatus, SimStatus } from './agent-status.ts'

/** For a person at a terminal. */
export function statusLines(status: AgentStatus): readonly string[] {
  const { version, pid, upMs, link, queue, journal, clock, modems, sims, unusable } = status
  const here = new Set(modems.flatMap(({ simNumber }) => simNumber ?? []))
  const away = sims.filter(({ simNumber }) => !here.has(simNumber))
  return [
    row('Agent', `${version}, process ${pid}, runs for ${duration(upMs)}`),
    row('Relay', relayWords(link)),
    row('Device', link.deviceId ?? 'not paired yet'),
    row('Messages', `${queue.open} open, ${queue.waiting} of them waiting, ${queue.inDoubt} in doubt`),
    row('To be told', `${link.eventsWaiting} events that the relay does not have yet`),
    row('Journal', journal.trouble ?? `a write takes ${journal.fsyncMs.toFixed(1)} ms`),
    row('Clock', clockWords(clock)),
    ...modems.flatMap((modem) => [
      '',
      ...modemLines(
        modem,
        sims.find(({ simNumber }) => simNumber === modem.simNumber),
      ),
    ]),
    ...(away.length === 0
      ? []
      : ['', ...away.map(({ simNumber }) => row(`SIM ${simNumber}`, 'its modem is not there'))]),
    ...(modems.length === 0 ? ['', `No modem is there. \`${asTyped('agent', 'doctor')}\` tells why.`] : []),
    ...unusable.flatMap((words) => ['', words]),
  ]
}

export function relayWords({ phase, relay, trouble }: AgentStatus['link']): string {
  if (phase !== 'online') return `${relay}: ${trouble ?? phase}`
  return relay === inThisProcess ? `connected, ${relay}` : `connected to ${relay}`
}

function modemLines(modem: ModemStatus, sim: SimStatus | undefined): string[] {
  const title = modem.simNumber === undefined ? 'Modem' : `SIM ${modem.simNumber}`
  const number = sim?.numberEnd === undefined ? undefined : `number ends in ${sim.numberEnd}`
  return [
    row(title, [modem.words, number].filter(Boolean).join(', ')),
    row('  modem', [modem.model, modem.port].filter(Boolean).join(' at ')),
    row('  network', [modem.operator, modem.technology, modem.registration, signal(modem)].filter(Boolean).join(', ')),
    row('  storage', storage(modem)),
    ...recovery(modem),
  ]
}

function recovery({ recovery: found }: ModemStatus): string[] {
  if (found === undefined || found.state === 'healthy' || !('rung' in found)) return []
  return [row('  recovery', [found.state, found.rung].filter(Boolean).join(', '))]
}

function signal({ signalDbm, bars }: ModemStatus): string | undefined {
  if (signalDbm === undefined) return undefined
  return bars === undefined ? `${signalDbm} dBm` : `${signalDbm} dBm (${bars} of 4 bars)`
}

function storage({ storage: memories = {} }: ModemStatus): string {
  const words = Object.entries(memories).map(([memory, { used, total }]) => `${memory} ${used} of ${total}`)
  return words.join(', ') || 'not known'
}

function clockWords({ trusted, systemErrorMs }: AgentStatus['clock']): string {
  if (!trusted) return 'nothing vouches for the time: messages with a deadline or working hours wait'
  if (systemErrorMs === undefined || Math.abs(systemErrorMs) < worthSayingMs) return 'right'
  return `this machine's is ${(systemErrorMs / 1000).toFixed(0)} s off what the relay says`
}

const worthSayingMs = 2_000

function duration(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 1) return `${Math.floor(ms / 1000)} s`
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days`
}

function row(name: string, words: string): string {
  return `${name.padEnd(12)}${words}`
}
