import { faultCatalogue } from '@smsgw/virtual-modem/faults/fault-catalogue'
import { testNumbers } from '@smsgw/virtual-modem/network/test-numbers'
import { personalities } from '@smsgw/virtual-modem/personalities/catalogue'
import { controlRoutes, STREAM, STREAM_ABOUT } from '../control/routes.ts'
import { allInstructions } from '../instructions/all-instructions.ts'
import { envName, optionAboutOf, optionsSchema } from './config.ts'

export function emulatorHelp(): string {
  const options = Object.keys(optionsSchema.shape).flatMap(optionHelp)
  return `${[
    'Virtual GSM modems on pseudo-terminals or TCP, with SIMs and a shared network.',
    '',
    'npm run emulator -- [options]        one Quectel EC25 at ./data/emulator/modem0, control on 127.0.0.1:7080',
    '',
    'Options, each with its environment variable; --lines, --json and --quiet are short for --output …:',
    ...options,
    '',
    'Modems (--personality):',
    ...columns(Object.values(personalities).map(({ name, title }) => [name, title])),
    '',
    'Faults (--fault, scenario, POST /do/set-fault); all of them also take chance, times and skip:',
    ...columns(faultCatalogue.map(({ name, about, options: own }) => [name, `${about}${faultOptionText(own)}`])),
    '',
    'Test numbers (docs/test-numbers.md):',
    ...columns(testNumbers.map(({ number, effect }) => [number, effect])),
    '',
    'Control interface, JSON over HTTP; GET / returns the schemas:',
    ...columns([
      ...controlRoutes.map(({ path, about }) => [`GET ${path}`, about] as const),
      [`GET ${STREAM}`, STREAM_ABOUT],
      ...Object.entries(allInstructions).map(([name, { about }]) => [`POST /do/${name}`, about] as const),
    ]),
  ].join('\n')}\n`
}

function optionHelp(key: string): string[] {
  const about = optionAboutOf(key)
  if (about === undefined) return []
  const several = about.several ? ' (repeatable)' : ''
  return [`  --${key} ${about.example}   [${envName(key)}]${several}`, `      ${about.about}`]
}

function faultOptionText(options: Readonly<Record<string, number | string | boolean>>): string {
  const own = Object.entries(options).filter(([key]) => !['chance', 'times', 'skip'].includes(key))
  return own.length === 0 ? '' : ` (${own.map(([key, value]) => `${key}=${value}`).join(', ')})`
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(0, ...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)
}
