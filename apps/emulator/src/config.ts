import { parseArgs } from 'node:util'
import { z } from 'zod'
import { firstProblem } from './first-problem.ts'
import { PTY_FOLDER, personalityName, phoneNumber } from './modem-setup.ts'
import { type OptionAbout, option, optionAbouts } from './option-about.ts'
import { faultText, latencyText, modemText, noneOr, path } from './option-text.ts'
import { StartError } from './start-error.ts'
import { tcpAddress } from './tcp-address.ts'

/**
 * Every option. On the command line `--boot-time 0`, in the environment `EMULATOR_BOOT_TIME=0`; the command line wins.
 * An option that may be given several times is separated by spaces in the environment.
 */
export const optionsSchema = z.strictObject({
  personality: option(personalityName.optional(), {
    about: 'what kind of modem to be; default quectel-ec25',
    example: 'simcom-sim800',
  }),
  number: option(phoneNumber.optional(), {
    about: 'number of its SIM; default +447700900001',
    example: '+447700900123',
  }),
  pty: option(path().optional(), {
    about: `link to its pseudo-terminal, stable while that changes; default ${PTY_FOLDER}/modem0, or none when --tcp is given; none: no pseudo-terminal`,
    example: './modem0',
  }),
  tcp: option(tcpAddress.optional(), {
    about: 'serve it on TCP; port 0 is any free one; the last program to connect wins',
    example: '127.0.0.1:7001',
  }),
  modem: option(z.array(modemText()).default([]), {
    about:
      'instead of the four above, and again for each further modem: any of name, personality, number, imei, iccid, imsi, pin, puk, tcp, pty',
    example: 'personality=huawei-e3372,number=+447700900002,tcp=127.0.0.1:7002',
    several: true,
  }),
  scenario: option(path().optional(), {
    about: 'modems, SIMs, network, faults and timed steps from a file, instead of the five above',
    example: 'apps/emulator/scenarios/two-modems.json',
  }),
  fault: option(z.array(faultText()).default([]), {
    about: 'a fault that every modem has from the start; its options behind a colon, commas in a value as ;',
    example: 'submit-slow:delayMs=15000,chance=0.1',
    several: true,
  }),
  control: option(noneOr(tcpAddress).default({ host: '127.0.0.1', port: 7080 }), {
    about:
      'HTTP control interface, default 127.0.0.1:7080; it asks nobody for a password, so keep it on loopback; none: no interface',
    example: '127.0.0.1:7080',
  }),
  ledger: option(noneOr(path()).default(`${PTY_FOLDER}/ledger.jsonl`), {
    about: `every accepted SUBMIT, appended and synced before the modem answers; default ${PTY_FOLDER}/ledger.jsonl; none: no ledger`,
    example: './ledger.jsonl',
  }),
  seed: option(
    z
      .string()
      .regex(/^\d{1,10}$/, 'must be a whole number')
      .transform(Number)
      .optional(),
    {
      about: 'repeats all chance of an earlier run; default a new one, printed at start',
      example: '42',
    },
  ),
  latency: option(latencyText().optional(), {
    about: 'milliseconds that the network takes for a message, or a range; default 0',
    example: '2000-4000',
  }),
  start: option(z.enum(['warm', 'cold'], 'must be warm or cold').default('warm'), {
    about: 'warm (default): the modems have been on for hours; cold: they are switched on now, with boot messages',
    example: 'cold',
  }),
  'boot-time': option(
    z
      .string()
      .regex(/^\d+(\.\d+)?$/, 'must be a number from 0 on')
      .transform(Number)
      .default(1),
    {
      about: 'how long a start of a modem takes: 1 as in reality (default), 0 at once',
      example: '0',
    },
  ),
  chunking: option(z.enum(['random', 'whole'], 'must be random or whole').default('random'), {
    about: 'bytes come out split and merged by chance (random, default) or as the modem wrote them (whole)',
    example: 'whole',
  }),
  output: option(
    z.enum(['auto', 'view', 'lines', 'json', 'quiet'], 'must be auto, view, lines, json or quiet').default('auto'),
    {
      about:
        'view: full-screen; lines: what happens, line by line; json: one line with all addresses, then nothing; quiet: nothing; auto (default): view on a terminal, else lines',
      example: 'lines',
    },
  ),
})

export type Options = z.infer<typeof optionsSchema>

/** Short ways to say `--output`. */
const outputFlags = ['view', 'lines', 'json', 'quiet'] as const

/** The options, or `help` when it is asked for. The only place that looks at arguments and environment. */
export function readConfig(argv: readonly string[], environment: NodeJS.ProcessEnv): Options | 'help' {
  const given = { ...fromEnvironment(environment), ...fromArguments(argv) }
  if ('help' in given) return 'help'
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

type Given = Record<string, string | string[] | true>

function fromArguments(argv: readonly string[]): Given {
  const known = Object.fromEntries(
    Object.keys(optionsSchema.shape).map((key) => [key, { type: 'string', multiple: true } as const]),
  )
  const flags = Object.fromEntries([...outputFlags, 'help'].map((flag) => [flag, { type: 'boolean' } as const]))
  const given: Given = {}
  try {
    const { values } = parseArgs({ args: [...argv], options: { ...known, ...flags }, strict: true })
    for (const [key, value] of Object.entries(values)) {
      if (value === true) Object.assign(given, key === 'help' ? { help: true } : { output: key })
      else if (Array.isArray(value)) given[key] = isSeveral(key) ? value.map(String) : String(value.at(-1))
    }
    return given
  } catch (error) {
    // The first sentence of Node's message names the option; the others advise on something else.
    throw new StartError(`${(error as Error).message.split(/\.\s/)[0]}; --help lists all options`)
  }
}

function fromEnvironment(environment: NodeJS.ProcessEnv): Given {
  const given: Given = {}
  for (const key of Object.keys(optionsSchema.shape)) {
    const value = environment[envName(key)]
    if (value) given[key] = isSeveral(key) ? value.split(/\s+/).filter(Boolean) : value
  }
  return given
}

function refuseContradictions({ scenario, modem, personality, number, pty, tcp }: Options): void {
  const single = Object.entries({ personality, number, pty, tcp }).find(([, value]) => value !== undefined)?.[0]
  const other = modem.length > 0 ? 'modem' : single
  if (scenario !== undefined && other !== undefined)
    throw new StartError(`${other}: the scenario describes the modems; leave out --${other} or --scenario`)
  if (modem.length > 0 && single !== undefined)
    throw new StartError(`${single}: goes into --modem when that is given; for example --modem ${exampleText('modem')}`)
}

function isSeveral(key: string): boolean {
  return aboutOf(key)?.several ?? false
}

export function aboutOf(key: string): OptionAbout | undefined {
  const schema = (optionsSchema.shape as Record<string, z.ZodType>)[key]
  return schema && optionAbouts.get(schema)
}

function exampleText(key: string): string {
  return aboutOf(key)?.example ?? ''
}

function exampleOf(key: string): string {
  return `--${key} ${exampleText(key)}`
}
