import { type ProgramCommands, readOptions } from '@smsgw/daemon/command-line'
import { StartError, UsageError } from '@smsgw/daemon/start-error'
import { z } from 'zod'
import { firstProblem } from './check-input.ts'
import { PTY_FOLDER, personalityName, subscriberNumber } from './modem-setup.ts'
import { faultOption, latencyText, modemText, noneOr, path } from './option-text.ts'
import { tcpAddress } from './tcp-address.ts'

/** The help text of an option, and the example shown in errors. */
interface OptionAbout {
  readonly about: string
  readonly example: string
  readonly several?: boolean
}

const optionAbouts = z.registry<OptionAbout>()

function option<S extends z.ZodType>(schema: S, about: OptionAbout): S {
  optionAbouts.add(schema, about)
  return schema
}

/**
 * All options: `--boot-time 0` on the command line, `EMULATOR_BOOT_TIME=0` in the environment; the command line takes
 * precedence. In the environment, spaces separate the values of an option that can be given several times.
 */
export const optionsSchema = z.strictObject({
  personality: option(personalityName.optional(), {
    about: 'modem type; default quectel-ec25',
    example: 'simcom-sim800',
  }),
  number: option(subscriberNumber.optional(), {
    about: 'phone number of the SIM; default +447700900001',
    example: '+447700900123',
  }),
  pty: option(path().optional(), {
    about: `path of a link to the pseudo-terminal; with "none", the modem has no pseudo-terminal; default ${PTY_FOLDER}/modem0, or "none" with --tcp`,
    example: './modem0',
  }),
  tcp: option(tcpAddress.optional(), {
    about:
      'TCP address of the modem; port 0 selects any free port; a new connection replaces the current one; default none',
    example: '127.0.0.1:7001',
  }),
  modem: option(z.array(modemText()).default([]), {
    about:
      'a modem, instead of the four options above; fields: name, personality, number, imei, iccid, imsi, pin, puk, tcp, pty, and secondTcp or secondPty for a modem with two ports',
    example: 'personality=huawei-e3372,number=+447700900002,tcp=127.0.0.1:7002',
    several: true,
  }),
  scenario: option(path().optional(), {
    about: 'JSON file with modems, SIMs, network, faults and timed steps, instead of the five options above',
    example: 'apps/emulator/scenarios/two-modems.json',
  }),
  replay: option(path().optional(), {
    about:
      'file that `modem <port> record` wrote; the emulator then has one modem that gives the recorded answers, without network, SIM and faults',
    example: './modem.txt',
  }),
  fault: option(z.array(faultOption()).default([]), {
    about:
      'a fault that all modems start with. Its options follow after a colon. Inside a value, write ";" instead of ","',
    example: 'submit-slow:delayMs=15000,chance=0.1',
    several: true,
  }),
  control: option(noneOr(tcpAddress).default({ host: '127.0.0.1', port: 7080 }), {
    about:
      'address of the HTTP control interface; default 127.0.0.1:7080; no password, so keep it on loopback; "none" turns it off',
    example: '127.0.0.1:7080',
  }),
  ledger: option(noneOr(path()).default(`${PTY_FOLDER}/ledger.jsonl`), {
    about: `file to which accepted SUBMITs are written and synced before the modem answers; default ${PTY_FOLDER}/ledger.jsonl; "none" turns it off`,
    example: './ledger.jsonl',
  }),
  seed: option(
    z
      .string()
      .regex(/^\d{1,10}$/, 'must be a whole number')
      .transform(Number)
      .optional(),
    {
      about: 'random seed; the seed of an earlier run repeats that run; default: a new seed, printed at start',
      example: '42',
    },
  ),
  latency: option(latencyText().optional(), {
    about: 'network delay of a message in milliseconds, or a range; default 0',
    example: '2000-4000',
  }),
  start: option(z.enum(['warm', 'cold'], 'must be "warm" or "cold"').default('warm'), {
    about: 'warm (default): the modems are ready at once; cold: they boot first, with boot messages',
    example: 'cold',
  }),
  'boot-time': option(
    z
      .string()
      .regex(/^\d+(\.\d+)?$/, 'must be a number of at least 0')
      .transform(Number)
      .default(1),
    {
      about: 'factor for the boot time of a modem; 1 (default): as on real hardware; 0: no delay',
      example: '0',
    },
  ),
  chunking: option(z.enum(['random', 'whole'], 'must be "random" or "whole"').default('random'), {
    about: 'random (default): split and merge the output bytes at random; whole: keep each write in one piece',
    example: 'whole',
  }),
  output: option(z.enum(['lines', 'json', 'quiet'], 'must be "lines", "json" or "quiet"').default('lines'), {
    about:
      'lines (default): addresses, then traffic and network events; json: one line with all addresses; quiet: nothing',
    example: 'lines',
  }),
})

export type Options = z.infer<typeof optionsSchema>

/** The short forms of `--output`. */
const outputFlags = ['lines', 'json', 'quiet'] as const

/**
 * Returns the options, or `help` or `version` if that is requested. Only this function reads arguments and environment.
 */
export function readEmulatorOptions(
  argv: readonly string[],
  environment: NodeJS.ProcessEnv,
): Options | 'help' | 'version' {
  if (argv.includes('--help') || argv.includes('-h')) return 'help'
  if (argv[0] === '--version') return 'version'
  const given = { ...fromEnvironment(environment), ...fromArguments(argv) }
  const result = optionsSchema.safeParse(given)
  if (!result.success) {
    const { path, problem } = firstProblem(result.error)
    const [key = ''] = path.split(/[.[]/)
    throw new StartError(`${path}: ${problem}; for example ${exampleOf(key)}`)
  }
  refuseContradictions(result.data)
  return result.data
}

export function envName(key: string): string {
  return `EMULATOR_${key.toUpperCase().replaceAll('-', '_')}`
}

type Given = Record<string, string | string[]>

function fromArguments(argv: readonly string[]): Given {
  const { tokens, positionals } = readOptions(emulatorCommands, '', argv)
  if (positionals[0] !== undefined) throw new UsageError(`unknown argument ${positionals[0]}; --help lists all options`)
  const given: Given = {}
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const { name, value } = token
    if (value === undefined) given['output'] = name
    else if (isSeveral(name)) given[name] = [given[name] ?? [], value].flat().map(String)
    else given[name] = value
  }
  return given
}

/** The options, for the reader of arguments and for shell completion. */
export const emulatorCommands: ProgramCommands = {
  program: 'emulator',
  commands: {
    '': {
      about: 'serve virtual modems until stopped',
      options: {
        ...Object.fromEntries(
          Object.keys(optionsSchema.shape).map((key) => [
            key,
            { value: exampleText(key), about: optionAboutOf(key)?.about ?? '' },
          ]),
        ),
        ...Object.fromEntries(outputFlags.map((flag) => [flag, { about: `short for --output ${flag}` }])),
      },
    },
  },
}

function fromEnvironment(environment: NodeJS.ProcessEnv): Given {
  const given: Given = {}
  for (const key of Object.keys(optionsSchema.shape)) {
    const value = environment[envName(key)]
    if (value) given[key] = isSeveral(key) ? value.split(/\s+/).filter(Boolean) : value
  }
  return given
}

function refuseContradictions(options: Options): void {
  const { scenario, modem, personality, number, pty, tcp, replay } = options
  const made = Object.entries({ scenario, personality, number, modem: modem[0], fault: options.fault[0] })
  const clash = made.find(([, value]) => value !== undefined)?.[0]
  if (replay !== undefined && clash !== undefined)
    throw new StartError(`${clash}: cannot be combined with --replay, which defines the modem; remove one of them`)
  const single = Object.entries({ personality, number, pty, tcp }).find(([, value]) => value !== undefined)?.[0]
  const other = modem.length > 0 ? 'modem' : single
  if (scenario !== undefined && other !== undefined)
    throw new StartError(`${other}: cannot be combined with --scenario, which describes the modems; remove one of them`)
  if (modem.length > 0 && single !== undefined)
    throw new StartError(
      `${single}: cannot be combined with --modem; set it in --modem, for example --modem ${exampleText('modem')}`,
    )
}

function isSeveral(key: string): boolean {
  return optionAboutOf(key)?.several ?? false
}

export function optionAboutOf(key: string): OptionAbout | undefined {
  const schema = (optionsSchema.shape as Record<string, z.ZodType>)[key]
  return schema && optionAbouts.get(schema)
}

function exampleText(key: string): string {
  return optionAboutOf(key)?.example ?? ''
}

function exampleOf(key: string): string {
  return `--${key} ${exampleText(key)}`
}
