import type { ProgramCommands } from '@smsgw/daemon/command-line'
import { relaySettingsSchema } from '../config.ts'
import { keyCommands } from './key-commands.ts'

const password = {
  generate: { about: 'generate the password and print it' },
  'password-stdin': { about: 'read the password from standard input' },
} as const

/** Explains the error when somebody types a password after the username. */
const note = 'passwords are not accepted as arguments'

export const relayCommands = {
  program: 'relay',
  title: 'The relay of an SMS gateway: HTTP API, accounts, messages and webhooks on PostgreSQL.',
  settings: relaySettingsSchema,
  commands: {
    '': { about: 'start the relay. The commands below work with or without a running relay' },
    'accounts add': { args: '<user>', about: 'create an account; asks for its password', options: password, note },
    'accounts list': { about: 'list all accounts', options: { json: { about: 'print JSON, for scripts' } }, note },
    'accounts password': {
      args: '<user>',
      about: 'change a password and revoke the tokens of the account',
      options: { ...password, 'keep-tokens': { about: 'revoke no tokens' } },
      note,
    },
    'accounts remove': {
      args: '<user>',
      about: 'remove an account and all its data',
      options: { yes: { about: 'do not ask for confirmation' } },
      note,
    },
    'token issue': {
      args: '<user>',
      about: 'issue a token as POST /auth/token does; prints JSON',
      options: {
        scopes: { value: '<scope,…>', about: 'scopes of the token, for example messages:send,messages:read' },
        ttl: { value: '<seconds>', about: 'lifetime of the token' },
      },
    },
    'token revoke-enrolment': { args: '<user>', about: 'stop agents from joining with ENROLMENT_TOKEN' },
    ...keyCommands('<user> '),
    router: { about: 'start a router, which sends requests and agents to the relays of their cell' },
    'cells add': {
      args: '<cell> <relay-url> [<relay-url>…]',
      about: 'add the database DATABASE_URL and its relays as a cell, or change the relays of a cell',
      options: { closed: { about: 'place no new accounts in the cell' } },
    },
    'cells list': {
      about: 'list cells, their accounts and unfinished moves',
      options: { json: { about: 'print JSON, for scripts' } },
    },
    'cells place': {
      args: '<user>',
      about: 'create an account in the cell with the fewest accounts; asks for its password',
      options: { ...password, cell: { value: '<cell>', about: 'the cell of the account' } },
      note,
    },
    'cells move': {
      args: '<user> <cell>',
      about: 'move an account to another cell while it is in use; repeat the command after an interruption',
      options: {
        cancel: {
          about: 'cancel the move, which is possible until the data is copied; the account stays in its present cell',
        },
        'without-router': {
          value: '<id,…>',
          about: 'ids of routers that have ended: remove them from the directory',
        },
      },
    },
    migrate: {
      about: 'apply missing database migrations and exit; run it before you start the relays of a new release',
    },
    backup: { args: '<file>', about: 'back up the whole database while relays run' },
    restore: { args: '<file>', about: 'restore a backup into an empty database' },
  },
} as const satisfies ProgramCommands
