import { z } from 'zod'

/** The help text of a setting, and the example for its error message. */
export interface SettingAbout {
  readonly about: string
  readonly example: string
  /** True for a secret, which is never shown and may be read from the file in `<name>_FILE`. */
  readonly secret?: true
}

const settingAbouts = z.registry<SettingAbout>()

export function setting<S extends z.ZodType>(schema: S, about: SettingAbout): S {
  settingAbouts.add(schema, about)
  return schema
}

export function aboutSetting(name: string, schema: z.ZodType | undefined): SettingAbout {
  const about = schema && settingAbouts.get(schema)
  if (!about) throw new Error(`setting ${name} has no description`)
  return about
}

export function text() {
  return z.string().min(1)
}

export function wholeNumber(least: number, most: number) {
  return z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= least && value <= most, `must be between ${least} and ${most}`)
}

export function port() {
  return wholeNumber(0, 65_535)
}

export function flag() {
  return z
    .enum(['1', 'true', 'yes', 'on', '0', 'false', 'no', 'off'], 'must be 1 or 0')
    .transform((value) => ['1', 'true', 'yes', 'on'].includes(value))
}
