import { join } from 'node:path'
import { agentCommands } from '@smsgw/agent/cli/commands'
import { modemToolCommands } from '@smsgw/agent/modem-tool/commands'
import { bridgeCommands } from '@smsgw/bridge/cli/commands'
import type { CommandHelp, ProgramCommands } from '@smsgw/daemon/command-line'
import { gatewayFolder } from '@smsgw/daemon/files/default-folder'
import { nearest } from '@smsgw/daemon/nearest'
import { StartError } from '@smsgw/daemon/start-error'
import { printable } from '@smsgw/daemon/terminal/printable'
import { VERSION } from '@smsgw/daemon/version'
import { emulatorCommands } from '@smsgw/emulator/options/config'
import { relayCommands } from '@smsgw/relay/cli/commands'
import { gatewayCommands } from '../cli/commands.ts'
import { readGatewayCredentials } from '../credentials-file.ts'
import { clientCommands } from './client/commands.ts'
import { completionScript, shells } from './completion.ts'

const programs: readonly ProgramCommands[] = [
  gatewayCommands,
  relayCommands,
  agentCommands,
  bridgeCommands,
  modemToolCommands,
  emulatorCommands,
]

const abouts: Readonly<Record<string, string>> = {
  gateway: 'API, database and modems in one process on this machine',
  relay: 'API and database, for agents on other machines',
  agent: 'the modems of this machine, for a relay on another machine',
  bridge: 'connect an account to MQTT, Home Assistant, e-mail, chats, SMPP and AI assistants',
  modem: 'control one modem, without a relay or an agent',
  emulator: 'serve virtual modems',
}

/** Commands of the Debian package, which the script /usr/bin/smsgw runs. */
const ofPackage = [
  { word: 'ignore-modems', about: 'make ModemManager ignore the modems of the service, after confirmation' },
  { word: 'modem adopt', about: 'share the modems with ModemManager: use one port of each modem, after confirmation' },
]

const services = `
Commands run with the user, settings and data of their service, so most of them need sudo. The settings are in
/etc/smsgw/<name>.env. The services are smsgw-gateway, or smsgw-agent on this machine and smsgw-relay on another one:

  sudo systemctl enable --now smsgw-gateway
`

const isPackage = import.meta.dirname.includes('/usr/lib/smsgw/')

const others = [
  { word: 'setup', about: gatewayCommands.commands.setup.about },
  { word: 'router', about: relayCommands.commands.router.about },
  { word: 'cells', about: 'commands for the cells of a router, such as cells list; smsgw relay --help lists them' },
  { word: 'password', about: 'show the username and password of the gateway' },
  ...(isPackage ? ofPackage : []),
  { word: 'completion', about: `print the completion script of a shell: ${shells.join(', ')}` },
  {
    word: '--help',
    about: 'show this help; smsgw <program> --help shows the commands and settings of that program',
  },
  { word: '--version', about: 'print the version' },
]

/**
 * Commands of the relay that are also typed without the name of the program. Completion treats them like commands of
 * the API.
 */
const shortCommands: ProgramCommands = {
  program: 'client',
  commands: Object.fromEntries(
    Object.entries(relayCommands.commands).filter(([name]) => name === 'router' || name.startsWith('cells ')),
  ),
  settings: relayCommands.settings,
}

/** Handles a command line without a program. Returns the exit code. */
export function answerSmsgw(name: string, args: readonly string[]): number {
  if (name === '--help' || name === '-h' || name === 'help') return print(helpText())
  if (name === '--version' || name === 'version') return print(`${VERSION}\n`)
  if (name === 'password') return args.length === 0 ? printPassword() : refuse('password needs no arguments')
  if (name === 'completion') {
    const shell = shells.find((known) => known === args[0])
    if (shell !== undefined && args.length === 1)
      return print(completionScript(shell, [...programs, clientCommands, shortCommands], others))
    return refuse(`completion needs a shell: ${shells.join(', ')}`)
  }
  const kind = name.startsWith('-') ? 'option' : 'command'
  const known = [
    ...programs.map(({ program }) => program),
    ...Object.keys(clientCommands.commands),
    ...others.map(({ word }) => word),
  ]
  const meant = nearest(name, known)
  return refuse(
    `unknown ${kind} ${name}${meant === undefined ? '; smsgw --help lists all' : `; did you mean ${meant}?`}`,
  )
}

/** With the Debian package, the script /usr/bin/smsgw answers instead, because it knows the folder of the service. */
function printPassword(): number {
  const folder = process.env['DATA_DIR'] || gatewayFolder
  try {
    const found = readGatewayCredentials(folder)
    if (found === undefined)
      throw new StartError(
        `${join(folder, 'credentials.json')} does not exist: start the gateway first, or set DATA_DIR to its data folder`,
      )
    const text = `${found.username}:${found.password}`
    return print(`${process.stdout.isTTY ? printable(text) : text}\n`)
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    process.stderr.write(`smsgw: ${error.message}\n`)
    return 1
  }
}

function helpText(): string {
  const sudo = isPackage ? 'sudo ' : ''
  const rows = [
    ...programs.map(({ program, first }) => {
      const command = [first, '[command]'].filter(Boolean).join(' ')
      return [
        `${sudo}smsgw ${program} ${program === 'emulator' ? '[options]' : command}`,
        abouts[program] ?? '',
      ] as const
    }),
    ...Object.entries<CommandHelp>(clientCommands.commands).map(
      ([name, { args = '', about }]) => [`smsgw ${[name, args].filter(Boolean).join(' ')}`, about] as const,
    ),
    ...others.map(
      ({ word, about }) => [`smsgw ${word === 'completion' ? 'completion <shell>' : word}`, about] as const,
    ),
  ]
  const width = Math.max(...rows.map(([left]) => left.length)) + 3
  const lines = rows.map(([left, about]) => `${left.padEnd(width)}${about}\n`).join('')
  return `SMS gateway for your own SIM cards.\n\n${lines}${isPackage ? services : ''}`
}

function print(text: string): number {
  process.stdout.write(text)
  return 0
}

function refuse(problem: string): number {
  process.stderr.write(`smsgw: ${problem}\n`)
  return 2
}
