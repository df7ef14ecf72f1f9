import { hostname } from 'node:os'
import { defaultFolder } from '@smsgw/daemon/files/default-folder'
import { flag, setting, text, wholeNumber } from '@smsgw/daemon/setting'
import { readSecret, readSettings } from '@smsgw/daemon/settings'
import { StartError } from '@smsgw/daemon/start-error'
import type { OperatorChoice } from '@smsgw/modem/commands/network/operator-selection'
import { z } from 'zod'
import { modemAddresses } from './modem-addresses.ts'

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const

/** The settings of the agent, by the name of their environment variable. */
export const agentSettingsSchema = z.object({
  RELAY_URL: setting(
    text()
      .regex(/^wss?:\/\/[^/]/, 'must begin with wss://')
      .optional(),
    {
      about:
        'address of the relay; default: the address given to `agent pair`; ws:// to another machine needs ALLOW_INSECURE_HTTP=1',
      example: 'wss://sms.example.org',
    },
  ),
  DATA_DIR: setting(
    text().default(() => defaultFolder('agent')),
    {
      about: 'folder for the journal and the key that identifies this agent to the relay',
      example: '/var/lib/smsgw',
    },
  ),
  MODEMS: setting(modemAddresses().default('auto'), {
    about:
      'modems to use: "auto" for all USB modems, or a list separated by commas, in which the first modem is SIM 1, the second SIM 2, and so on. Write /dev/ttyUSB2, tcp://host:port, hilink://192.168.8.1 for a stick with only a web interface, or /dev/ttyUSB2+/dev/ttyUSB3 for a modem with two command ports',
    example: '/dev/ttyUSB2,tcp://192.168.1.5:7000',
  }),
  HILINK_USER: setting(text().default('admin'), {
    about: 'username for the web interface of HiLink sticks; used only with HILINK_PASSWORD',
    example: 'admin',
  }),
  HILINK_PASSWORD: setting(text().optional(), {
    about: 'password for the web interface of HiLink sticks, if they require a login; default: no login',
    example: 'correct horse',
    secret: true,
  }),
  EMULATED_MODEMS: setting(flag().default(false), {
    about:
      'marks all modems of this agent as virtual; set it for an emulator whose SIMs do not belong to the test network 001',
    example: '1',
  }),
  MIX_EMULATED_MODEMS: setting(flag().default(false), {
    about: 'sends with virtual modems even if the device or the account has a real modem; for tests only',
    example: '1',
  }),
  HANG_UP_CALLS: setting(flag().default(false), {
    about:
      'ends incoming calls at once; with 0, calls ring until the caller hangs up. In both cases, each call is reported as `call:received`',
    example: '1',
  }),
  SEND_WHILE_ROAMING: setting(flag().default(true), {
    about:
      'sends while a SIM is roaming; with 0, messages wait until the SIM is back in its home network, and receiving continues; national roaming counts as roaming',
    example: '0',
  }),
  POWER_CYCLE: setting(text().optional(), {
    about:
      'switches a modem off and on when all other recovery has failed; default: never. "usb" switches the USB socket of the modem, if the hub can do that (uhubctl). <port>=<chip>:<line>[:low][:<ms>] switches the GPIO line that is connected to the PWRKEY or RESET pin of the modem (gpioset). Separate several items with commas',
    example: 'usb,/dev/serial0=gpiochip0:4:1500',
  }),
  DEVICE_NAME: setting(
    text()
      .max(128)
      .default(hostname() || 'agent'),
    {
      about: 'name that this device gets when it is paired; to change the name later, rename the device in the account',
      example: 'office-pi',
    },
  ),
  ENROLMENT_TOKEN: setting(text().min(32, 'needs at least 32 characters').optional(), {
    about: 'pairs this agent automatically at its first start; must be the same as ENROLMENT_TOKEN of the relay',
    example: '$(openssl rand -base64 32)',
    secret: true,
  }),
  ENCRYPTION_PASSPHRASE: setting(text().optional(), {
    about:
      'passphrase that decrypts encrypted messages; programs encrypt with the same passphrase, and the relay never receives it',
    example: 'correct horse battery staple',
    secret: true,
  }),
  ALLOW_INSECURE_HTTP: setting(flag().default(false), {
    about: 'allows ws:// to other machines; anyone on the network path can then take over this agent',
    example: '1',
  }),
  IN_DOUBT_SECONDS: setting(wholeNumber(1, 30 * 86_400).default(900), {
    about:
      'if the outcome of a message is unknown, and no delivery report or late answer arrives within this number of seconds, the message fails with submit_unknown',
    example: '900',
  }),
  IN_DOUBT_HOLD_SECONDS: setting(wholeNumber(0, 86_400).default(120), {
    about:
      'if the outcome of a message is unknown, later messages to the same number wait for this number of seconds at most',
    example: '120',
  }),
  MESSAGE_LIFE_SECONDS: setting(wholeNumber(60, 365 * 86_400).default(3 * 86_400), {
    about: 'if no SIM can send a message that has no expiry time, the message fails after this number of seconds',
    example: '259200',
  }),
  LOG_LEVEL: setting(z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info'), {
    about: `lowest level that is logged: ${LOG_LEVELS.join(', ')}`,
    example: 'debug',
  }),
})

export interface AgentConfig extends z.output<typeof agentSettingsSchema> {
  readonly sims: ReadonlyMap<number, SimConfig>
  /** The crash point at which a test kills the process. */
  readonly crashAt: string | undefined
}

export interface SimConfig {
  readonly number: string | undefined
  readonly pin: string | undefined
  readonly operator?: OperatorChoice
}

/** Reads the configuration. No other code reads environment variables. */
export function readAgentConfig(environment: NodeJS.ProcessEnv): AgentConfig {
  const settings = readSettings(agentSettingsSchema, environment)
  return { ...settings, sims: readSims(environment), crashAt: environment['SMSGW_CRASH_AT'] }
}

/** Returns the WebSocket address of a relay; throws a StartError if it is invalid or not safe. */
export function checkedRelayUrl(url: string, isInsecureAllowed: boolean): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || !['ws:', 'wss:', 'http:', 'https:'].includes(parsed.protocol)) {
    throw new StartError(`${url} is not a valid relay address; for example wss://sms.example.org`)
  }
  parsed.protocol = parsed.protocol.replace('http', 'ws')
  if (parsed.username !== '' || parsed.password !== '') {
    throw new StartError('the relay address must not contain a username or password: use a pairing code instead')
  }
  const isLoopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(parsed.hostname)
  if (parsed.protocol === 'ws:' && !isLoopback && !isInsecureAllowed) {
    throw new StartError(
      `${parsed.href} is not encrypted: use wss://, or set ALLOW_INSECURE_HTTP=1 in a trusted network`,
    )
  }
  if (parsed.pathname === '/') parsed.pathname = '/agent/v1'
  return parsed.href
}

/** Reads `SIM_<n>_NUMBER`, `SIM_<n>_OPERATOR`, and `SIM_<n>_PIN` or `SIM_<n>_PIN_FILE`. */
function readSims(environment: NodeJS.ProcessEnv): ReadonlyMap<number, SimConfig> {
  const sims = new Map<number, SimConfig>()
  const names = new Set(Object.keys(environment).map((name) => name.replace(/(_PIN)_FILE$/, '$1')))
  for (const name of names) {
    const parts = /^SIM_(\d{1,2})_(NUMBER|PIN|OPERATOR)$/.exec(name)
    const value = parts?.[2] === 'PIN' ? readSecret(environment, name) : environment[name]
    if (parts === null || !value) continue
    const slot = Number(parts[1])
    const what = parts[2] as keyof typeof simSettings
    if (slot < 1 || slot > 64)
      throw new StartError(`${name}: SIM numbers range from 1 to 64; for example SIM_1_PIN=1234`)
    const { form, words, read } = simSettings[what]
    if (!form.test(value)) throw new StartError(`${name} ${words}`)
    sims.set(slot, { number: undefined, pin: undefined, ...sims.get(slot), ...read(value) })
  }
  return sims
}

interface SimSetting {
  readonly form: RegExp
  /** What is wrong with a value that does not match `form`. */
  readonly words: string
  readonly read: (value: string) => Partial<SimConfig>
}

const simSettings: Readonly<Record<'NUMBER' | 'PIN' | 'OPERATOR', SimSetting>> = {
  NUMBER: {
    form: /^\+?\d{3,20}$/,
    words: 'must have 3 to 20 digits, with an optional +; for example SIM_1_NUMBER=+447700900123',
    read: (number) => ({ number }),
  },
  PIN: {
    form: /^\d{4,8}$/,
    words: 'must have four to eight digits; for example SIM_1_PIN=1234',
    read: (pin) => ({ pin }),
  },
  OPERATOR: {
    form: /^(auto|\d{5,6}(,any)?)$/,
    words:
      'must be "auto", or the country and network codes of an operator, with ",any" to allow other operators; for example SIM_1_OPERATOR=26202',
    read: (value) => ({ operator: operatorChoice(value) }),
  },
}

function operatorChoice(value: string): OperatorChoice {
  const [code = '', otherwise] = value.split(',')
  return value === 'auto' ? 'automatic' : { code, mayFallBack: otherwise === 'any' }
}
