import { spawnSync } from 'node:child_process'
import { arch, release, uptime } from 'node:os'
import { childEnvironment } from '@smsgw/daemon/child-environment'
import { VERSION } from '@smsgw/daemon/version'
import { type AgentConfig, agentSettingsSchema } from '../config.ts'
import { readUsbBus } from '../modems/discovery/usb-bus.ts'
import { readText } from './checks/check-machine.ts'
import type { Examination } from './examine.ts'
import { findingLines } from './finding.ts'

/**
 * Returns a text for support with all diagnostics of this agent. Its parts are already masked. As a second safeguard,
 * everything that looks like a number, a PDU or a key is masked here.
 */
export async function supportBundle(
  { findings, status, modems }: Examination,
  config: AgentConfig,
  made: Date,
): Promise<string> {
  const sections: readonly (readonly [string, string])[] = [
    ['findings', findings.flatMap(findingLines).join('\n')],
    ['machine', machineText()],
    ['settings', settingsText(config)],
    ['agent', status === undefined ? 'not running' : JSON.stringify(status, undefined, 2)],
    [
      'modems',
      JSON.stringify(
        modems.map(({ trace: _, ...rest }) => rest),
        undefined,
        2,
      ),
    ],
    ['USB', JSON.stringify(await readUsbBus('/sys'), undefined, 2)],
    ['log', agentLog()],
    ...modems.map(({ status: { port }, trace }) => [`trace of ${port}`, trace.join('\n')] as const),
  ]
  const text = sections.map(([title, content]) => `## ${title}\n\n${content}\n`).join('\n')
  return `# smsgw agent ${VERSION}, ${made.toISOString()}\n\n${withoutSecrets(text, secretsIn(config))}`
}

function machineText(): string {
  const system = /^PRETTY_NAME="?([^"\n]*)/m.exec(readText('/etc/os-release') ?? '')?.[1]
  return [
    readText('/proc/device-tree/model'),
    system,
    `Linux ${release()} ${arch()}, up for ${Math.round(uptime() / 60)} min`,
    `Node ${process.version}`,
  ]
    .filter(Boolean)
    .join('\n')
}

/** Lists the settings that are set. Shows the value of a setting only if it cannot contain personal data. */
function settingsText(config: AgentConfig): string {
  const sims = [...config.sims].map(([simNumber, { number, pin }]) => {
    const set = [number && 'number', pin && 'PIN'].filter(Boolean).join(' and ')
    return `SIM ${simNumber}: ${set} set`
  })
  const values = config as unknown as Readonly<Record<string, unknown>>
  const settings = Object.keys(agentSettingsSchema.shape).map((name) => {
    if (values[name] === undefined) return `${name} is not set`
    return publicSettings.has(name) ? `${name}=${values[name]}` : `${name} is set`
  })
  return [...settings, ...sims].join('\n')
}

function secretsIn({ ENROLMENT_TOKEN, ENCRYPTION_PASSPHRASE, DEVICE_NAME, sims }: AgentConfig): readonly string[] {
  const ofSims = [...sims.values()].flatMap(({ number, pin }) => [number, pin])
  return [ENROLMENT_TOKEN, ENCRYPTION_PASSPHRASE, DEVICE_NAME, ...ofSims].filter((secret) => secret !== undefined)
}

const publicSettings = new Set([
  'ALLOW_INSECURE_HTTP',
  'DATA_DIR',
  'IN_DOUBT_HOLD_SECONDS',
  'IN_DOUBT_SECONDS',
  'LOG_LEVEL',
  'MESSAGE_LIFE_SECONDS',
  'MODEMS',
  'RELAY_URL',
])

/** Returns the log of the service, if this user may read it. */
function agentLog(): string {
  const args = ['--unit=smsgw-agent', '--lines=300', '--no-pager', '--output=cat', '--quiet']
  const { stdout, status } = spawnSync('journalctl', args, {
    encoding: 'utf8',
    timeout: 5_000,
    env: childEnvironment(),
  })
  return status === 0 && stdout !== '' ? stdout : 'no systemd journal, or not readable for this user'
}

/**
 * Masks everything that may be a phone number, an ICCID, IMSI or IMEI, a PDU, a key, or credentials in a URL, and all
 * configured secrets. Keeps the last digits of numbers, so that numbers can be distinguished.
 */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  let clean = text
  for (const secret of secrets) clean = clean.replaceAll(wordPattern(secret), '[secret]')
  return clean
    .replace(/-----BEGIN [^-]*-----[^-]*-----END [^-]*-----/g, '[key]')
    .replace(/(?<=:\/\/)[^\s/@"]+@/g, '[secret]@')
    .replace(/(?<![0-9a-z])[0-9a-f]{24,}(?![0-9a-z])/gi, '[hex]')
    .replace(/\+?\d[\d \u00a0()/.-]{4,}\d/g, (run) => (digits(run) < minNumberLength || isDate(run) ? run : cut(run)))
}

/** Matches whole words only, because the digits of a PIN may occur within other numbers. */
function wordPattern(secret: string): RegExp {
  const escaped = secret.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`(?<![0-9A-Za-z])${escaped}(?![0-9A-Za-z])`, 'g')
}

const minNumberLength = 7

function digits(run: string): number {
  return run.replace(/\D/g, '').length
}

/** Returns true for a date such as `2026-11-21`, which is not a phone number. */
function isDate(run: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(run)
}

function cut(run: string): string {
  return `…${run.replace(/\D/g, '').slice(-3)}`
}
