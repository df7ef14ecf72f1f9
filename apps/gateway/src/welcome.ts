import { styleText } from 'node:util'
import { VERSION } from '@smsgw/relay/version'
import type { Gateway } from './gateway.ts'
import type { Secrets } from './secrets.ts'

/** The first line, at once: what is starting, and where its data are. */
export function greeting(folder: string): string {
  return `\n  ${bold('smsgw')} ${VERSION} is starting, with its data in ${folder}\n`
}

/** One line before each thing that takes a while. */
export function stageLine(words: string): string {
  return `    ${words} …\n`
}

/**
 * What somebody who has just started it needs: where it is, who may use it, which modem there is, and a first message.
 * The password is shown to a terminal alone: what else reads this keeps it, as the journal of a service does. `machine`: its
 * addresses in the networks around it, by which others reach what listens everywhere.
 */
export function welcome(
  { url, isVirtual, modems }: Pick<Gateway, 'url' | 'isVirtual' | 'modems'>,
  { username, password, areNew, credentialsFile }: Secrets,
  { isTerminal, machine }: { readonly isTerminal: boolean; readonly machine: readonly string[] },
): string {
  const here = url.replace(EVERYWHERE, '//127.0.0.1')
  const elsewhere = EVERYWHERE.test(url) ? machine.map((address) => url.replace(EVERYWHERE, `//${address}`)) : []
  const isShown = areNew && isTerminal
  const shown = isShown ? password : `$(sed -n 's/.*"password": "\\(.*\\)".*/\\1/p' '${credentialsFile}')`
  return `${[
    '',
    `  ${bold('smsgw is running at')}  ${styleText(['bold', 'cyan'], here)}`,
    '',
    ...elsewhere.map((address, at) => row(at === 0 ? 'network' : '', `${address} from other machines`)),
    row('account', isShown ? `${username}   password ${bold(password)}` : username),
    row('', isShown ? `shown this once; kept in ${credentialsFile}` : `the password is in ${credentialsFile}`),
    ...(isVirtual ? virtualModem : modems()).map((words, at) => row(at === 0 ? 'modem' : '', words)),
    row('console', 'that address, in a browser'),
    row('API', `${here}/docs describes every call`),
    '',
    '  Send a message:',
    '',
    `    curl -u "${username}:${shown}" ${here}/3rdparty/v1/messages \\`,
    "      -H 'Content-Type: application/json' \\",
    `      -d '{ "phoneNumbers": ["+447400123456"], "textMessage": { "text": "Hello" } }'`,
    '',
    '  Ctrl-C ends it; everything is found again at the next start.',
    '',
  ].join('\n')}\n`
}

const EVERYWHERE = /\/\/(?:0\.0\.0\.0|\[::\])(?=:)/

const virtualModem = [
  styleText(['bold', 'yellow'], 'A VIRTUAL ONE, since no modem was found: messages reach virtual phones alone.'),
  'Plug a modem in and start again, or name its port: MODEMS=/dev/ttyUSB2',
]

function row(name: string, words: string): string {
  return `    ${name.padEnd(10)}${words}`
}

function bold(text: string): string {
  return styleText('bold', text)
}
