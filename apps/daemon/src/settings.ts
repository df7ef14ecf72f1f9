import { readFileSync } from 'node:fs'
import type { z } from 'zod'
import { aboutSetting, type SettingAbout } from './setting.ts'
import { StartError } from './start-error.ts'

/** All settings of a process, each made by `setting`. */
export type SettingsSchema = z.ZodObject<Readonly<Record<string, z.ZodType>>>

export function aboutOf(schema: SettingsSchema, name: string): SettingAbout {
  return aboutSetting(name, schema.shape[name])
}

/**
 * Reads settings from an environment: a value, or of a secret the file that `<name>_FILE` names. A wrong one stops the
 * start with one line: the name, what is wrong, an example. The value is not in it, it may be a secret.
 */
export function readSettings<S extends SettingsSchema>(schema: S, environment: NodeJS.ProcessEnv): z.output<S> {
  const result = schema.safeParse(given(schema, environment))
  if (result.success) return result.data
  const issue = result.error.issues[0]
  const name = String(issue?.path[0])
  const problem = issue?.code === 'invalid_type' ? 'must be set' : issue?.message
  throw new StartError(`${name} ${problem}; for example ${name}=${aboutOf(schema, name).example}`)
}

function given(schema: SettingsSchema, environment: NodeJS.ProcessEnv): Record<string, string> {
  const values: Record<string, string> = {}
  for (const name of Object.keys(schema.shape)) {
    const value = aboutOf(schema, name).secret ? givenSecret(environment, name) : environment[name]
    if (value) values[name] = value
  }
  return values
}

/** A secret, or what is in the file that `<name>_FILE` names. An empty value is none: so compose files pass on what is not set. */
export function givenSecret(environment: NodeJS.ProcessEnv, name: string): string | undefined {
  const file = environment[`${name}_FILE`]
  if (!file) return environment[name] || undefined
  if (environment[name]) throw new StartError(`${name} and ${name}_FILE are both set: leave one out`)
  return contentOf(file, `${name}_FILE`) || undefined
}

function contentOf(file: string, name: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new StartError(`${name} names a file that cannot be read: ${(error as Error).message}`, { cause: error })
  }
}

/** What the help says of all settings. */
export function settingsHelp(schema: SettingsSchema): string[] {
  return Object.keys(schema.shape).flatMap((name) => {
    const { about, example, secret } = aboutOf(schema, name)
    return ['', `  ${name}=${example}${secret ? `   [or ${name}_FILE]` : ''}`, ...wrapped(about)]
  })
}

function wrapped(text: string): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    if (`${INDENT}${lines.at(-1)} ${word}`.length > WIDTH) lines.push('')
    lines.push(`${lines.pop()} ${word}`.trim())
  }
  return lines.map((line) => `${INDENT}${line}`)
}

const WIDTH = 100
const INDENT = '      '
