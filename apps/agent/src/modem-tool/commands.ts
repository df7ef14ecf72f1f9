import type { ProgramCommands } from '@smsgw/daemon/command-line'

export const modemToolCommands = {
  program: 'modem',
  first: '<port>',
  commands: {
    watch: { about: 'show identity, then state changes until Ctrl-C (default)' },
    identify: { about: 'show identity and current state' },
    send: {
      args: '<number> <text…>',
      about: 'send a message',
      options: {
        report: { about: 'wait up to two minutes for a delivery report' },
        flash: { about: 'display the message at once, without storing it (flash SMS)' },
      },
    },
    receive: {
      about: 'show messages until Ctrl-C',
      options: { delete: { about: 'remove each message after it is shown' } },
    },
    list: { about: 'list all messages on the SIM and the modem' },
    delete: {
      args: '<memory> <index>',
      about: 'delete a message; the command list shows its memory and index; for example: delete SM 3',
    },
    'delete all': { about: 'delete all messages' },
    ussd: {
      args: '<code> [<reply>…]',
      about: 'send a USSD code, such as "*100#"; each <reply> answers a menu of the network',
    },
    record: {
      args: '<file>',
      about:
        'record a session for a device report; numbers and texts are replaced, and you review it before it is saved',
      options: {
        to: {
          value: '<number>',
          about: 'number of your phone; a test message to your phone and your reply are then also recorded',
        },
        yes: { about: 'save the recording without asking' },
      },
    },
  },
  options: {
    pin: {
      value: '<digits>',
      about: 'PIN of the SIM; it is tried only once, and not tried if only one attempt is left',
    },
    trace: { about: 'print sent and received bytes on standard error, with numbers and texts masked' },
    unmasked: { about: 'print the bytes as --trace does, but without masking' },
  },
} as const satisfies ProgramCommands
