import { parseArgs } from 'node:util'
import { nearest } from './nearest.ts'
import { aboutOf, type SettingsSchema, settingsHelp } from './settings.ts'
import { UsageError } from './start-error.ts'
import { type Program, userCommand } from './user-command.ts'

/** A command with its arguments, its help, and the words that shell completion offers. */
export interface CommandHelp {
  /** The form of the arguments, such as `<url> <code>`. `[<port>…]` may be left out or repeated. */
  readonly args?: string
  readonly about: string
  readonly options?: Readonly<Record<string, Option>>
  /** A hint for error messages about the arguments of the command. */
  readonly note?: string
}

export interface Option {
  /** The form of the option's value, such as `<file>`; a flag has no value. */
  readonly value?: string
  readonly about: string
}

export interface ProgramCommands {
  readonly program: Program
  /** An argument before the command, such as `<port>`. */
  readonly first?: string
  /** The commands by name. The command '' is used if the command line names no command. */
  readonly commands: Readonly<Record<string, CommandHelp>>
  /** Options of every command. */
  readonly options?: Readonly<Record<string, Option>>
  /** The settings. Each setting that is not a secret is also an option of every command, such as --port for PORT. */
  readonly settings?: SettingsSchema
  /** The first line of the help. */
  readonly title?: string
  /** Paragraphs of the help between commands and settings. */
  readonly notes?: readonly string[]
  /** Lines of the help for settings that have no fixed name. */
  readonly otherSettings?: readonly string[]
}

export interface CommandLine {
  /** The name of the command, or `--help` or `--version`. */
  readonly name: string
  readonly values: Readonly<Record<string, string | boolean | undefined>>
  readonly positionals: readonly string[]
  /** Settings that were given as options, by the name of their environment variable. */
  readonly settings: Readonly<Record<string, string>>
}

/** Reads a command line. Throws a UsageError that suggests the nearest command or option. */
export function readCommandLine(program: ProgramCommands, args: readonly string[]): CommandLine {
  const asked = args.slice(0, args.includes('--') ? args.indexOf('--') : undefined)
  if (asked.includes('--help') || asked.includes('-h')) return { ...nothing, name: '--help' }
  if (asked[0] === '--version') return { ...nothing, name: '--version' }
  const name = commandName(program, args)
  const { values, positionals } = readOptions(program, name, args.slice(name === '' ? 0 : name.split(' ').length))
  checkCount(program, name, positionals)
  const settings: Record<string, string> = {}
  for (const [option, value] of Object.entries(values)) {
    const setting = settingOf(program, option)
    if (setting !== undefined) settings[setting] = String(value)
  }
  return { name, values, positionals, settings }
}

const nothing = { values: {}, positionals: [], settings: {} }

function commandName({ commands, program }: ProgramCommands, args: readonly string[]): string {
  const [first = '', second = ''] = args
  if (`${first} ${second}` in commands) return `${first} ${second}`
  if (first in commands && first !== '') return first
  const isWord = first !== '' && !first.startsWith('-')
  if ('' in commands && (!isWord || commands['']?.args !== undefined)) return ''
  if (!isWord) throw new UsageError(`no command given; ${userCommand(program, '--help')} lists the commands`)
  const inGroup = Object.keys(commands).flatMap((name) =>
    name.startsWith(`${first} `) ? [name.split(' ')[1] ?? ''] : [],
  )
  if (inGroup.length > 0) {
    // The error does not contain the second word, which may be a secret in the wrong place.
    throw new UsageError(`${first} needs a command: ${inGroup.join(', ')}${suggestion(nearest(second, inGroup))}`)
  }
  throw unknownCommand(commands, first)
}

export function unknownCommand(commands: ProgramCommands['commands'], given: string): UsageError {
  const names = [...new Set(Object.keys(commands).map((name) => name.split(' ')[0] ?? ''))].filter(
    (name) => name !== '',
  )
  const hint = suggestion(nearest(given, names)) || `; use ${[...names, '--help'].join(', ')}`
  return new UsageError(`unknown command ${JSON.stringify(given)}${hint}`)
}

/** Reads the options of a command and leaves its other arguments in their order. */
export function readOptions(program: ProgramCommands, name: string, args: readonly string[]) {
  const options = optionsOf(program, name)
  const { tokens, values, positionals } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      Object.entries(options).map(([option, { value }]) => [
        option,
        { type: value === undefined ? 'boolean' : 'string' },
      ]),
    ),
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const option = options[token.name]
    if (option === undefined) throw unknownOption(program, name, token.rawName)
    if (option.value === undefined && token.value !== undefined) throw new UsageError(`${token.rawName} takes no value`)
    if (
      option.value !== undefined &&
      (token.value === undefined || (!token.inlineValue && token.value.startsWith('-')))
    )
      throw new UsageError(`${token.rawName} needs a value: ${token.rawName} ${option.value}`)
  }
  return { values: values as CommandLine['values'], positionals, tokens }
}

function unknownOption(program: ProgramCommands, name: string, given: string): UsageError {
  const known = [...Object.keys(optionsOf(program, name)), 'help'].map((option) => `--${option}`)
  const hint = suggestion(nearest(given, known)) || `; ${userCommand(program.program, '--help')} lists the options`
  return new UsageError(`unknown option ${given}${hint}`)
}

function suggestion(name: string | undefined): string {
  return name === undefined ? '' : `; did you mean ${name}?`
}

/** Returns the options of a command, including the options that every command has. */
export function optionsOf(
  { commands, options, settings }: ProgramCommands,
  name: string,
): Readonly<Record<string, Option>> {
  const shared: Record<string, Option> = {}
  for (const setting of Object.keys(settings?.shape ?? {})) {
    const { about, example, secret } = aboutOf(settings as SettingsSchema, setting)
    if (!secret) shared[optionName(setting)] = { value: example, about }
  }
  return { ...shared, ...options, ...commands[name]?.options }
}

function settingOf({ settings }: ProgramCommands, option: string): string | undefined {
  return Object.keys(settings?.shape ?? {}).find((setting) => optionName(setting) === option)
}

function optionName(setting: string): string {
  return setting.toLowerCase().replaceAll('_', '-')
}

function checkCount({ program, commands }: ProgramCommands, name: string, { length }: readonly string[]): void {
  const { args = '', note } = commands[name] ?? {}
  const forms = args.split(' ').filter(Boolean)
  const required = forms.filter((form) => !form.startsWith('[')).length
  const ending = `usage: ${userCommand(program, [name, args].filter(Boolean).join(' '))}${note === undefined ? '' : `; ${note}`}`
  if (length < required) throw new UsageError(`argument ${forms[length]} is missing; ${ending}`)
  if (length > forms.length && !args.includes('…')) throw new UsageError(`too many arguments; ${ending}`)
}

export function helpText(program: ProgramCommands): string {
  const { title = '', notes = [], settings, otherSettings = [] } = program
  return `${[
    title,
    '',
    ...commandLines(program),
    '',
    ...notes.flatMap((note) => [note, '']),
    'Settings are environment variables; those that are not secret are also options, such as --data-dir. To read a secret from a file, set <NAME>_FILE to its path.',
    ...(settings === undefined ? [] : settingsHelp(settings)),
    ...(otherSettings.length === 0 ? [] : ['', ...otherSettings]),
  ].join('\n')}\n`
}

/** Help lines: each command as this installation runs it, with its options. */
export function commandLines({ program, first, commands, options = {} }: ProgramCommands): string[] {
  const ofCommands = Object.entries(commands).flatMap(([name, { args, about, options: own = {} }]) => [
    [userCommand(program, [first, name, args].filter(Boolean).join(' ')), about] as const,
    ...optionRows(own),
  ])
  const ofAll = optionRows(options)
  const width = Math.max(...[...ofCommands, ...ofAll].map(([left]) => left.length)) + 3
  const lines = (rows: readonly (readonly [string, string])[]) =>
    rows.map(([left, about]) => `${left.padEnd(width)}${about}`)
  return [...lines(ofCommands), ...(ofAll.length === 0 ? [] : ['', 'With every command:', ...lines(ofAll)])]
}

function optionRows(options: Readonly<Record<string, Option>>): (readonly [string, string])[] {
  return Object.entries(options).map(([option, { value, about }]) => [
    `    --${option}${value === undefined ? '' : ` ${value}`}`,
    about,
  ])
}
