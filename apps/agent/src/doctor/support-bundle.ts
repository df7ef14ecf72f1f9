import { spawnSync } from 'node:child_process'
import { arch, release, uptime } from 'node:os'
import { type AgentConfig, settingsSchema } from '../config.ts'
import { readUsbBus } from '../modems/usb-bus.ts'
import { VERSION } from '../version.ts'
import type { Examination } from './examine.ts'
import { findingLines } from './finding.ts'
import { readText } from './read-text.ts'
import { withoutSecrets } from './without-secrets.ts'

/**
 * Everything that helps somebody else to find out what is wrong, in one text that its owner can read first. It is made of
 * what is masked already, and then everything that looks like a number, a PDU or a key is taken out once more.
 */
export async function supportBundle(
  { findings, status, modems }: Examination,
  config: AgentConfig,
  made: Date,
): Promise<string> {
  const sections: readonly (readonly [string, string])[] = [
    ['findings', findings.flatMap(findingLines).join('\n')],
    ['machine', machineWords()],
    ['settings', settingsWords(config)],
    ['agent', status === undefined ? 'does not run' : JSON.stringify(status, undefined, 2)],
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

function machineWords(): string {
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

/** What is used; the values only of those that cannot hold anything personal. */
function settingsWords(config: AgentConfig): string {
  const sims = [...config.sims].map(([simNumber, { number, pin }]) => {
    const known = [number && 'number', pin && 'PIN'].filter(Boolean).join(' and ')
    return `SIM ${simNumber}: ${known} set`
  })
  const values = config as unknown as Readonly<Record<string, unknown>>
  const settings = Object.keys(settingsSchema.shape).map((name) => {
    if (values[name] === undefined) return `${name} is not set`
    return harmless.has(name) ? `${name}=${values[name]}` : `${name} is set`
  })
  return [...settings, ...sims].join('\n')
}

function secretsIn({ ENROLMENT_TOKEN, ENCRYPTION_PASSPHRASE, DEVICE_NAME, sims }: AgentConfig): readonly string[] {
  const ofSims = [...sims.values()].flatMap(({ number, pin }) => [number, pin])
  return [ENROLMENT_TOKEN, ENCRYPTION_PASSPHRASE, DEVICE_NAME, ...ofSims].filter((secret) => secret !== undefined)
}

const harmless = new Set([
  'ALLOW_INSECURE_HTTP',
  'DATA_DIR',
  'IN_DOUBT_HOLD_SECONDS',
  'IN_DOUBT_SECONDS',
  'LOG_LEVEL',
  'MESSAGE_LIFE_SECONDS',
  'MODEMS',
  'RELAY_URL',
])

/** Of the service, where this user may read it. */
function agentLog(): string {
  const args = ['--unit=smsgw-agent', '--lines=300', '--no-pager', '--output=cat', '--quiet']
  const { stdout, status } = spawnSync('journalctl', args, { encoding: 'utf8', timeout: 5_000 })
  return status === 0 && stdout !== '' ? stdout : 'not kept by systemd, or not readable for this user'
}
