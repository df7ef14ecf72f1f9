import { expect, test } from 'vitest'
import { z } from 'zod'
import { commandLines, type ProgramCommands, readCommandLine } from './command-line.ts'
import { setting, text } from './setting.ts'
import { UsageError } from './start-error.ts'

const relay: ProgramCommands = {
  program: 'relay',
  settings: z.object({
    PORT: setting(text().default('3000'), { about: 'port of the API', example: '3000' }),
    DATA_DIR: setting(text().default('./data'), { about: 'folder', example: '/var/lib/smsgw' }),
    SERVER_SECRET: setting(text(), { about: 'secret', example: 'x', secret: true }),
  }),
  commands: {
    '': { about: 'start the relay' },
    'accounts add': { args: '<user>', about: 'create an account', options: { generate: { about: 'a password' } } },
    'accounts list': { about: 'list accounts', note: 'a password is never an argument' },
    backup: { args: '<file>', about: 'make a backup', options: { level: { value: '<n>', about: 'how small' } } },
    send: { args: '<number> <text…>', about: 'send' },
  },
}

const withoutDefault: ProgramCommands = {
  program: 'agent',
  commands: { run: { about: 'run' }, status: { about: 'show' } },
}

function read(line: string, program = relay) {
  return readCommandLine(program, line.split(' ').filter(Boolean))
}

test.each([
  ['', { name: '', values: {}, positionals: [] }],
  ['accounts add alice --generate', { name: 'accounts add', values: { generate: true }, positionals: ['alice'] }],
  ['backup --level 9 a.backup', { name: 'backup', values: { level: '9' }, positionals: ['a.backup'] }],
  ['backup --level=9 a.backup', { name: 'backup', values: { level: '9' } }],
  ['backup -- --strange', { name: 'backup', positionals: ['--strange'] }],
  ['send +44 two words', { name: 'send', positionals: ['+44', 'two', 'words'] }],
  ['accounts add --help', { name: '--help' }],
  ['-h', { name: '--help' }],
  ['--version', { name: '--version' }],
])('%s', (line, expected) => {
  expect(read(line)).toMatchObject(expected)
})

test('settings are options of every command, except secret ones', () => {
  expect(read('--port 3001 --data-dir ./other').settings).toEqual({ PORT: '3001', DATA_DIR: './other' })
  expect(read('accounts list --data-dir=./other').settings).toEqual({ DATA_DIR: './other' })
  expect(() => read('--server-secret abc')).toThrow('unknown option --server-secret')
})

test.each([
  ['--prot 3000', 'unknown option --prot; did you mean --port?'],
  ['--dat x', 'unknown option --dat; did you mean --data-dir?'],
  ['--frobnicate', 'unknown option --frobnicate; npm run relay -- --help lists the options'],
  ['-x', 'unknown option -x; npm run relay -- --help lists the options'],
  ['bakcup', 'unknown command "bakcup"; did you mean backup?'],
  ['acounts list', 'unknown command "acounts"; did you mean accounts?'],
  ['frobnicate', 'unknown command "frobnicate"; use accounts, backup, send, --help'],
  ['accounts', 'accounts needs a command: add, list'],
  ['accounts lsit', 'accounts needs a command: add, list; did you mean list?'],
  ['accounts hunter2hunter2', 'accounts needs a command: add, list'],
  [
    'accounts list hunter2',
    'too many arguments; usage: npm run relay -- accounts list; a password is never an argument',
  ],
  ['accounts add', 'argument <user> is missing; usage: npm run relay -- accounts add <user>'],
  ['accounts add alice --generate=yes', '--generate takes no value'],
  ['backup a.backup --level', '--level needs a value: --level <n>'],
  ['backup --level --port 1', '--level needs a value: --level <n>'],
])('%s exits with 2 and says: %s', (line, message) => {
  const refusal = refused(() => read(line))
  expect(refusal).toMatchObject({ message, exitCode: 2 })
})

test('a program without a default command requires a command', () => {
  expect(refused(() => read('--live', withoutDefault)).message).toBe(
    'no command given; npm run agent -- --help lists the commands',
  )
  expect(refused(() => read('stauts', withoutDefault)).message).toBe('unknown command "stauts"; did you mean status?')
})

test('the help shows each command with its options', () => {
  const lines = commandLines(relay).map((line) => line.replace(/ {3,}/g, ' | '))
  expect(lines).toEqual([
    'npm run relay | start the relay',
    'npm run relay -- accounts add <user> | create an account',
    ' | --generate | a password',
    'npm run relay -- accounts list | list accounts',
    'npm run relay -- backup <file> | make a backup',
    ' | --level <n> | how small',
    'npm run relay -- send <number> <text…> | send',
  ])
})

function refused(read: () => unknown): UsageError {
  try {
    read()
  } catch (error) {
    if (error instanceof UsageError) return error
    throw error
  }
  throw new Error('was accepted')
}
