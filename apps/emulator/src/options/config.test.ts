import { expect, test } from 'vitest'
import { type Options, readEmulatorOptions } from './config.ts'

function options(argv: readonly string[], environment: NodeJS.ProcessEnv = {}): Options {
  const config = readEmulatorOptions(argv, environment)
  if (config === 'help' || config === 'version') throw new Error('unexpected help')
  return config
}

test('by default serves one modem on a pseudo-terminal, a control interface on loopback and a ledger', () => {
  const config = options([])
  expect(config).toMatchObject({
    modem: [],
    control: { host: '127.0.0.1', port: 7080 },
    ledger: './data/emulator/ledger.jsonl',
    output: 'lines',
    'boot-time': 1,
    chunking: 'random',
  })
  expect(config.scenario).toBeUndefined()
})

test('returns help for --help', () => {
  expect(readEmulatorOptions(['--tcp', 'nonsense', '--help'], {})).toBe('help')
})

test('prefers the command line over the environment', () => {
  const environment = { EMULATOR_SEED: '1', EMULATOR_LATENCY: '100-200', EMULATOR_BOOT_TIME: '0' }
  expect(options(['--seed', '2'], environment)).toMatchObject({
    seed: 2,
    latency: { minMs: 100, maxMs: 200 },
    'boot-time': 0,
  })
})

test('splits repeatable options in the environment at spaces', () => {
  const { fault } = options([], { EMULATOR_FAULT: 'cmti-twice prompt-late:delayMs=5' })
  expect(fault).toEqual([{ 'cmti-twice': {} }, { 'prompt-late': { delayMs: 5 } }])
})

test('reads a fault option by the type of its default; a semicolon stands for a comma in a value', () => {
  expect(options(['--fault', 'submit-error:codes=38;500,accepted=true,chance=0.5']).fault).toEqual([
    { 'submit-error': { codes: '38,500', accepted: true, chance: 0.5 } },
  ])
})

test('reads a modem and its SIM from --modem', () => {
  const row = 'name=stick,personality=huawei-e3372,number=+447700900002,pin=1234,tcp=[::1]:7002,pty=./stick'
  expect(options(['--modem', row]).modem).toEqual([
    {
      name: 'stick',
      personality: 'huawei-e3372',
      sim: { number: '+447700900002', pin: '1234' },
      tcp: { host: '::1', port: 7002 },
      pty: './stick',
    },
  ])
})

test('turns the control interface and the ledger off with none', () => {
  const { control, ledger } = options(['--control', 'none', '--ledger', 'none'])
  expect([control, ledger]).toEqual(['none', 'none'])
})

test.each([
  [['--tcp', '7001'], 'tcp: "7001" is not an address and a port; for example --tcp 127.0.0.1:7001'],
  [['--tcp', '127.0.0.1:70000'], /^tcp: "127.0.0.1:70000" is not an address and a port/],
  [['--seed', 'x'], 'seed: must be a whole number; for example --seed 42'],
  [['--number', '0171'], 'number: must look like +447700900001; for example --number +447700900123'],
  [
    ['--personality', 'nokia'],
    /^personality: must be one of .*quectel-ec25.*; for example --personality simcom-sim800$/,
  ],
  [
    ['--latency', '9-3'],
    'latency: "9-3" is neither milliseconds nor a range such as 2000-4000; for example --latency 2000-4000',
  ],
  [['--boot-time', '-1'], /boot-time/],
  [['--output', 'loud'], /^output: must be "lines", "json" or "quiet"; for example --output lines$/],
  [['--control', 'yes'], /^control: .*; for example --control 127.0.0.1:7080$/],
  [['--fault', 'gremlins'], /^fault\[0\]: gremlins: is not a known name; for example --fault submit-slow/],
  [['--fault', 'submit-slow:delayMs=soon'], /^fault\[0\]: submit-slow.delayMs: .*number/],
  [['--fault', 'submit-slow:delay=5'], /^fault\[0\]: submit-slow.delay: is not a known name/],
  [['--fault', 'submit-slow:chance=2'], /^fault\[0\]: submit-slow.chance: .*<=1; for example/],
  [['--fault', 'nitz:everyMs=0'], /^fault\[0\]: nitz.everyMs: .*>=1; for example/],
  [['--fault', 'prompt-late:delayMs=-1'], /^fault\[0\]: prompt-late.delayMs: .*>=0; for example/],
  [['--fault', 'submit-error:codes=many'], /^fault\[0\]: submit-error.codes: must be error codes separated by commas/],
  [['--fault', 'urc-before-pdu:line=RING\r\nOK'], /^fault\[0\]: urc-before-pdu.line: must be one line of printable/],
  [['--fault', 'answer-lost:command=AT+CSQ?'], /^fault\[0\]: answer-lost.command: must be a command/],
  [['--modem', 'number=12'], /^modem\[0\]: number: must look like/],
  [['--modem', 'colour=red'], /^modem\[0\]: colour: is not a known name/],
  [['--modem', 'name=a', '--tcp', '127.0.0.1:1'], /^tcp: cannot be combined with --modem; set it in --modem/],
  [
    ['--scenario', 'a.json', '--modem', 'name=a'],
    /^modem: cannot be combined with --scenario, which describes the modems; remove one of them$/,
  ],
  [['--bogus'], 'unknown option --bogus; npm run emulator -- --help lists the options'],
  [['--numbr', '1'], 'unknown option --numbr; did you mean --number?'],
  [['stray'], /stray/],
  [['--tcp'], /--tcp/],
])('refuses %j with one line that names problem and solution', (argv, message) => {
  expect(() => readEmulatorOptions(argv, {})).toThrow(message)
  try {
    readEmulatorOptions(argv, {})
  } catch (error) {
    expect((error as Error).message).not.toContain('\n')
  }
})
