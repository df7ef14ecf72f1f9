import type { ProgramCommands } from '@smsgw/daemon/command-line'
import { agentSettingsSchema } from '../config.ts'

/** Commands for the modems of a running agent. The gateway has the same commands for the agent inside it. */
export const modemCommands = {
  status: {
    about: 'show the status of the running agent',
    options: { live: { about: 'repeat every second until Ctrl-C' }, json: { about: 'print JSON, for scripts' } },
  },
  doctor: {
    about: 'check machine, modems, SIMs and relay, and say how to fix problems',
    options: {
      fix: { about: 'offer to run the commands that fix a problem, each after confirmation' },
      bundle: { value: '<file>', about: 'also write a report for support, without private data' },
    },
  },
  setup: {
    about: 'set up a modem step by step: access, PIN, network, and a test message to your phone',
    options: {
      to: {
        value: '<number>',
        about: 'number of your phone, for the test message; by default, setup asks for it in the terminal',
      },
      'no-test': { about: 'do not send a test message' },
      yes: { about: 'do not ask before running the commands that fix a problem' },
      sim: { value: '<n>', about: 'SIM to set up, if there are several modems' },
      'network-wait': { value: '<seconds>', about: 'seconds to wait for the network, 90 by default' },
      'reply-wait': { value: '<seconds>', about: 'seconds to wait for your reply, 300 by default; 0 does not wait' },
    },
    note: 'without a terminal, the PIN is read from SIM_1_PIN or SIM_1_PIN_FILE',
  },
  'udev-rules': {
    args: '[<port>…]',
    about: 'print udev rules that make ModemManager ignore the USB modems that this agent uses',
    options: {
      share: {
        about:
          'make ModemManager ignore only the second command port of each modem, so that the agent and ModemManager can both use the modem',
      },
    },
  },
  ussd: {
    args: '<code>',
    about: 'send a USSD code such as "*100#" and show the reply',
    options: {
      sim: { value: '<n>', about: 'SIM that sends the code, counted from 1' },
      session: { value: '<id>', about: 'continue the menu of an earlier reply; the reply shows the id of the session' },
    },
  },
  'encryption-key rotate': {
    about: 'replace the encryption key of this device; earlier keys still decrypt for 30 days',
  },
} as const

/** The help for the settings of each SIM, whose names contain its number. */
export const simSettings = [
  '  SIM_1_NUMBER=+447700900123',
  '      phone number of SIM 1; set it if the SIM does not store its number. SIM_2_NUMBER is for SIM 2, and so on',
  '',
  '  SIM_1_PIN=1234   [or SIM_1_PIN_FILE]',
  '      PIN of SIM 1. The agent tries it only once, and not at all if only one attempt is left',
  '',
  '  SIM_1_OPERATOR=26202',
  '      the only operator that SIM 1 may use, by its country and network codes. "26202,any" also allows other',
  '      operators while this operator is out of reach. "auto" lets the modem choose',
] as const

export const agentCommands = {
  program: 'agent',
  title: 'SMS gateway agent: sends and receives messages through the modems of this machine, on behalf of a relay.',
  settings: agentSettingsSchema,
  commands: {
    run: { about: 'send and receive until stopped' },
    pair: {
      args: '<url> <code>',
      about: 'pair this machine with an account; the code is from POST /3rdparty/v1/devices/codes',
      options: { again: { about: 'pair as a new device, even if this machine is already paired' } },
    },
    ...modemCommands,
  },
  otherSettings: simSettings,
} as const satisfies ProgramCommands
