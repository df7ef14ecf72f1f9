import { fingerprintGroups } from '@smsgw/contract/devices/fingerprint-groups'
import { userCommand } from '@smsgw/daemon/user-command'
import { inThisProcess } from '../link/in-process-socket.ts'
import { shortcomingTexts } from '../modems/modem-descriptions.ts'
import { networkClockText } from '../modems/network-clock.ts'
import type { AgentStatus, ShownModem, SimStatus, WaitingStatus } from './agent-status.ts'

/** Formats the status for a terminal. */
export function statusLines(status: AgentStatus): readonly string[] {
  const {
    version,
    pid,
    upMs,
    link,
    queue,
    waiting = [],
    journal,
    logLinesDropped,
    clock,
    encryptionKey,
    modems,
    sims,
    unusable,
    components = [],
  } = status
  const connected = new Set(modems.flatMap(({ simNumber }) => simNumber ?? []))
  const missing = sims.filter(({ simNumber }) => !connected.has(simNumber))
  return [
    row('Agent', `${version}, process ${pid}, running for ${duration(upMs)}`),
    row('Relay', relayText(link)),
    row('Device', link.deviceId ?? 'not paired yet'),
    row('Messages', `${queue.open} open (${queue.waiting} waiting, ${queue.inDoubt} in doubt)`),
    ...waiting.map(waitingLine),
    row('Unsynced', `${link.eventsWaiting} events`),
    row('Journal', journal.problem ?? `disk sync takes ${journal.fsyncMs.toFixed(1)} ms`),
    ...(logLinesDropped === 0 ? [] : [row('Log', `${logLinesDropped} lines could not be written`)]),
    row('Clock', clockText(clock)),
    ...(encryptionKey
      ? [
          row('Key', `version ${encryptionKey.version}, SHA-256 of the public key:`),
          row('', fingerprintGroups(encryptionKey.fingerprint)),
        ]
      : []),
    ...components.map(({ component, part, problem, since }) =>
      row(component, `${part}: ${problem ?? 'works'}, since ${new Date(since).toLocaleString('sv-SE')}`),
    ),
    ...modems.flatMap((modem) => [
      '',
      ...modemLines(
        modem,
        sims.find(({ simNumber }) => simNumber === modem.simNumber),
      ),
    ]),
    ...(missing.length === 0
      ? []
      : ['', ...missing.map(({ simNumber }) => row(`SIM ${simNumber}`, 'modem not connected'))]),
    ...(modems.length === 0 ? ['', `No modem found. Run \`${userCommand('agent', 'doctor')}\` to find out why.`] : []),
    ...unusable.flatMap((problem) => ['', problem]),
  ]
}

export function relayText({ phase, relay, problem }: AgentStatus['link']): string {
  if (phase !== 'online') return `${relay}: ${problem ?? phase}`
  return relay === inThisProcess ? `connected, ${relay}` : `connected to ${relay}`
}

/** Describes a reason, with times in local time. */
function waitingLine({ count, message }: WaitingStatus): string {
  const text = message.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (at) => new Date(at).toLocaleString('sv-SE'))
  return row('  waiting', `${count} ${count === 1 ? 'message' : 'messages'}: ${text}`)
}

function modemLines(modem: ShownModem, sim: SimStatus | undefined): string[] {
  const title = modem.simNumber === undefined ? 'Modem' : `SIM ${modem.simNumber}`
  const number = sim?.numberEnd === undefined ? undefined : `number ends in ${sim.numberEnd}`
  return [
    row(title, [modem.words, number].filter(Boolean).join(', ')),
    row('  modem', [modem.model, modem.port].filter(Boolean).join(' at ')),
    ...otherPorts(modem),
    row('  network', network(modem) || 'unknown'),
    ...(modem.networkClockAheadMs === undefined ? [] : [row('  clock', networkClockText(modem.networkClockAheadMs))]),
    row('  storage', storage(modem)),
    ...recovery(modem),
    ...(modem.shortcomings ?? []).map((each) => row('  warning', shortcomingTexts[each])),
  ]
}

function otherPorts({ secondPort, sharedWithModemManager }: ShownModem): string[] {
  const use = secondPort?.isInUse ? 'also used for commands' : 'free'
  return [
    ...(secondPort === undefined ? [] : [row('  port 2', `${secondPort.address}, ${use}`)]),
    ...(sharedWithModemManager ? [row('  shared', 'ModemManager may use the other ports of the modem')] : []),
  ]
}

function recovery({ recovery: found }: ShownModem): string[] {
  if (found === undefined || found.state === 'healthy' || !('rung' in found)) return []
  return [row('  recovery', [found.state, found.rung].filter(Boolean).join(', '))]
}

function network(modem: ShownModem): string {
  return [modem.operator, modem.technology, modem.registration, signal(modem)].filter(Boolean).join(', ')
}

function signal({ signalDbm, bars }: ShownModem): string | undefined {
  if (signalDbm === undefined) return undefined
  return bars === undefined ? `${signalDbm} dBm` : `${signalDbm} dBm (${bars} of 4 bars)`
}

function storage({ storage: memories = {} }: ShownModem): string {
  const gauges = Object.entries(memories).map(([memory, { used, total }]) => `${memory} ${used} of ${total}`)
  return gauges.join(', ') || 'unknown'
}

function clockText({ trusted, systemErrorMs }: AgentStatus['clock']): string {
  if (!trusted)
    return 'not synchronised: messages with a deadline wait; if work hours or a daily limit are set, all messages wait'
  if (systemErrorMs === undefined || Math.abs(systemErrorMs) < maxErrorMs) return 'correct'
  return `system clock differs by ${(systemErrorMs / 1000).toFixed(0)} s from the time of the relay or the network`
}

const maxErrorMs = 2_000

function duration(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 1) return `${Math.floor(ms / 1000)} s`
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days`
}

function row(name: string, value: string): string {
  return `${name.padEnd(12)}${value}`
}
