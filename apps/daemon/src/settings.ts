import { readFileSync } from 'node:fs'
import type { z } from 'zod'
import { aboutSetting, type SettingAbout } from './setting.ts'
import { StartError } from './start-error.ts'

/** The settings of a process. Each setting is declared with `setting`. */
export type SettingsSchema = z.ZodObject<Readonly<Record<string, z.ZodType>>>

export function aboutOf(schema: SettingsSchema, name: string): SettingAbout {
  return aboutSetting(name, schema.shape[name])
}

/**
 * Reads settings from environment variables; a secret may also come from the file in `<name>_FILE`. Throws a StartError
 * with the name, the problem and an example. The error does not show the value, which may be a secret.
 */
export function readSettings<S extends SettingsSchema>(schema: S, environment: NodeJS.ProcessEnv): z.output<S> {
  const result = schema.safeParse(readValues(schema, environment))
  if (result.success) return result.data
  const issue = result.error.issues[0]
  const name = String(issue?.path[0])
  const problem = issue?.code === 'invalid_type' ? 'must be set' : issue?.message
  throw new StartError(`${name} ${problem}; for example ${name}=${aboutOf(schema, name).example}`)
}

function readValues(schema: SettingsSchema, environment: NodeJS.ProcessEnv): Record<string, string> {
  const values: Record<string, string> = {}
  for (const name of Object.keys(schema.shape)) {
    const value = aboutOf(schema, name).secret ? readSecret(environment, name) : environment[name]
    if (value) values[name] = value
  }
  return values
}

/**
 * Reads `<name>`, or the file in `<name>_FILE`. An empty value counts as unset, because compose files pass unset
 * variables as empty values.
 */
export function readSecret(environment: NodeJS.ProcessEnv, name: string): string | undefined {
  const file = environment[`${name}_FILE`]
  if (!file) return environment[name] || undefined
  if (environment[name]) throw new StartError(`${name} and ${name}_FILE are both set: remove one of them`)
  return readSecretFile(file, `${name}_FILE`) || undefined
}

function readSecretFile(file: string, name: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new StartError(`${name}: cannot read the file: ${(error as Error).message}`, { cause: error })
  }
}

/** The lines of `--help` that describe all settings. */
export function settingsHelp(schema: SettingsSchema): string[] {
  return Object.keys(schema.shape).flatMap((name) => {
    const { about, example, secret } = aboutOf(schema, name)
    return ['', `  ${name}=${example}${secret ? `   [or ${name}_FILE]` : ''}`, ...wrap(about)]
  })
}

function wrap(text: string): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    if (`${INDENT}${lines.at(-1)} ${word}`.length > WIDTH) lines.push('')
    lines.push(`${lines.pop()} ${word}`.trim())
  }
  return lines.map((line) => `${INDENT}${line}`)
}

const WIDTH = 100
const INDENT = '      '
