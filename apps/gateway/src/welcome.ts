import { styleText } from 'node:util'
import type { AgentStatus } from '@smsgw/agent/status/agent-status'
import { userCommand } from '@smsgw/daemon/user-command'
import { VERSION } from '@smsgw/daemon/version'
import type { RunningGateway } from './gateway.ts'
import type { Secrets } from './secrets.ts'

/** Returns the first line of the start-up output. */
export function greeting(folder: string): string {
  return `\n  ${bold('smsgw')} ${VERSION} is starting. Data folder: ${folder}\n`
}

/** Announces a slow step of the start. */
export function stageLine(description: string): string {
  return `    ${description} …\n`
}

interface WelcomeOptions {
  /** True if no gateway of this folder has completed its start before. */
  readonly isFirstStart: boolean
  readonly isTerminal: boolean
  /** The network addresses of this machine, which are shown if the gateway listens on all addresses. */
  readonly machine: readonly string[]
  /** True if ALLOW_INSECURE_HTTP is set, so that no warning about plain HTTP is needed. */
  readonly allowsInsecure: boolean
}

/**
 * Returns the output after the start: URL, account, modems, and how to send a first message. The password is shown on a
 * terminal only, because other readers, such as the systemd journal, store it.
 */
export function welcome(
  { url, isVirtual, status }: Pick<RunningGateway, 'url' | 'isVirtual' | 'status'>,
  { username, password, credentialsFile }: Secrets,
  { isFirstStart, isTerminal, machine, allowsInsecure }: WelcomeOptions,
): string {
  const localUrl = url.replace(ANY_ADDRESS, '//127.0.0.1')
  const networkUrls = ANY_ADDRESS.test(url) ? machine.map((address) => url.replace(ANY_ADDRESS, `//${address}`)) : []
  const isUnencrypted = networkUrls.length > 0 && url.startsWith('http:') && !allowsInsecure
  const showsPassword = isFirstStart && isTerminal
  const secret = showsPassword ? password : `$(sed -n 's/.*"password": "\\(.*\\)".*/\\1/p' '${credentialsFile}')`
  return `${[
    '',
    `  ${bold('smsgw is running at')}  ${styleText(['bold', 'cyan'], localUrl)}`,
    '',
    ...networkUrls.map((address, at) => row(at === 0 ? 'network' : '', `${address} from other machines`)),
    ...(isUnencrypted
      ? [row('', 'Passwords and messages are sent unencrypted: set TLS_CERT and TLS_KEY, or add a proxy with TLS')]
      : []),
    row('account', showsPassword ? `${username}   password ${bold(password)}` : username),
    row('', showsPassword ? `shown once; stored in ${credentialsFile}` : `password stored in ${credentialsFile}`),
    ...(isVirtual ? virtualModem : modemLines(status())).map((line, at) => row(at === 0 ? 'modem' : '', line)),
    row('console', 'open the URL above in a browser'),
    row('API', `reference at ${localUrl}/docs`),
    '',
    '  Send a message:',
    '',
    `    curl -u "${username}:${secret}" ${localUrl}/3rdparty/v1/messages \\`,
    "      -H 'Content-Type: application/json' \\",
    `      -d '{ "phoneNumbers": ["+447400123456"], "textMessage": { "text": "Hello" } }'`,
    '',
    '  Press Ctrl-C to stop. Messages and settings are kept for the next start.',
    '',
  ].join('\n')}\n`
}

const ANY_ADDRESS = /\/\/(?:0\.0\.0\.0|\[::\])(?=:)/

const virtualModem = [
  styleText(['bold', 'yellow'], 'VIRTUAL MODEM: messages go to virtual phones only.'),
  'To send real messages, plug in a modem and restart, or set its port: MODEMS=/dev/ttyUSB2',
]

function row(name: string, value: string): string {
  return `    ${name.padEnd(10)}${value}`
}

function bold(text: string): string {
  return styleText('bold', text)
}

/** Describes each modem in one line. Without a modem, returns a solution. */
export function modemLines({ modems, unusable }: Pick<AgentStatus, 'modems' | 'unusable'>): readonly string[] {
  const lines = modems.map(({ simNumber, model, port, words, operator }) => {
    const sim = simNumber === undefined ? '' : `SIM ${simNumber} `
    const device = [model || 'modem', port].filter(Boolean).join(' at ')
    return `${sim}${[words, operator].filter(Boolean).join(', ')} (${device})`
  })
  const all = [...lines, ...unusable]
  return all.length > 0 ? all : [`no modem found; run \`${userCommand('gateway', 'doctor')}\` to find out why`]
}
