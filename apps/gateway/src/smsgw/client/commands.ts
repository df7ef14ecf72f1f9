import type { ProgramCommands } from '@smsgw/daemon/command-line'
import { keyCommands } from '@smsgw/relay/cli/key-commands'

/**
 * Commands for the API of a gateway or relay, on this or another machine. The commands are typed without the name of a
 * program.
 */
export const clientCommands = {
  program: 'client',
  options: {
    url: { value: '<url>', about: 'address of the gateway or relay' },
    username: { value: '<name>', about: 'account; the password is read from SMSGW_PASSWORD or SMSGW_PASSWORD_FILE' },
    'api-key-file': { value: '<file>', about: 'file with an API key, instead of an account' },
  },
  commands: {
    send: {
      args: '<number> <text>',
      about: 'send a text message and wait until it is sent; if the text is -, it is read from standard input',
      options: {
        'no-wait': { about: 'only print the id of the message' },
        sim: { value: '<n>', about: 'SIM that sends the message, counted from 1' },
        device: { value: '<id>', about: 'device that sends the message' },
        'short-code': { about: 'send to any number that a modem can dial, such as *100#, without checking it' },
        key: {
          value: '<key>',
          about: 'idempotency key: commands with the same key send one message, even after a crash',
        },
        json: { about: 'print the message as JSON' },
      },
    },
    inbox: {
      about: 'show the last received messages',
      options: {
        follow: { about: 'show each new message as well, until Ctrl-C' },
        limit: { value: '<n>', about: 'number of messages, 20 by default' },
        json: { about: 'print one JSON object per line' },
      },
    },
    listen: {
      about: 'forward events, signed like webhooks, to a program on this machine until Ctrl-C',
      options: {
        'forward-to': {
          value: '<url>',
          about: 'address to which the requests are sent, such as http://localhost:3000/sms',
        },
        events: { value: '<events>', about: 'events to forward, separated by commas; all by default' },
      },
    },
    'notify-by-sms': {
      about: 'send a notification of Nagios or Icinga, which is read from the NAGIOS_ environment variables',
      options: {
        to: { value: '<numbers>', about: 'recipients, separated by commas; NAGIOS_CONTACTPAGER by default' },
      },
    },
    mcp: {
      about: 'serve tools for AI assistants (Model Context Protocol) on standard input and output',
    },
    ...keyCommands(''),
    login: {
      args: '<url>',
      about: 'save the address and the password (or an API key, with --api-key) for later commands',
      options: {
        'api-key': { about: 'save an API key instead of a password' },
        stdin: { about: 'read the password or the key from standard input' },
      },
    },
    logout: { about: 'delete the saved address, and the saved password or key' },
  },
} as const satisfies ProgramCommands
