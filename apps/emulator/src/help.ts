import { faultCatalogue } from '@smsgw/virtual-modem/faults'
import { personalities } from '@smsgw/virtual-modem/personalities/catalogue'
import { aboutOf, envName, optionsSchema } from './config.ts'
import { routes, STREAM, STREAM_ABOUT } from './control/routes.ts'
import { allInstructions } from './instructions/all-instructions.ts'

export function helpText(): string {
  const options = Object.keys(optionsSchema.shape).flatMap(optionHelp)
  return `${[
    'Virtual GSM modems for programs that want a real one: on a pseudo-terminal or TCP, with a SIM and a network.',
    '',
    'npm run emulator -- [options]        one Quectel EC25 at ./data/emulator/modem0, control on 127.0.0.1:7080',
    '',
    'Options; --view, --lines, --json and --quiet are short for --output …; each has a variable in the environment:',
    ...options,
    '',
    'Modems (--personality):',
    ...columns(Object.values(personalities).map(({ name, title }) => [name, title])),
    '',
    'Faults (--fault, scenario, POST /do/set-fault); chance, times and skip go with each:',
    ...columns(faultCatalogue.map(({ name, about, options: own }) => [name, `${about}${faultOptionText(own)}`])),
    '',
    'Control interface: JSON over HTTP; GET / has the schemas:',
    ...columns([
      ...routes.map(({ path, about }) => [`GET ${path}`, about] as const),
      [`GET ${STREAM}`, STREAM_ABOUT],
      ...Object.entries(allInstructions).map(([name, { about }]) => [`POST /do/${name}`, about] as const),
    ]),
    '',
    'Keys of the view: Tab next modem, m message to it, f fault on or off, u unplug or plug, r restart it, q quit.',
  ].join('\n')}\n`
}

function optionHelp(key: string): string[] {
  const about = aboutOf(key)
  if (about === undefined) return []
  const several = about.several ? ' (may be given several times)' : ''
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
