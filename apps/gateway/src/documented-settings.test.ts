import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { settingsSchema as agentSettings } from '@smsgw/agent/config'
import { aboutOf, type SettingsSchema } from '@smsgw/daemon/settings'
import { settingsSchema as relaySettings } from '@smsgw/relay/config'
import { expect, test } from 'vitest'

const document = readFileSync(join(import.meta.dirname, '../../../docs/operations.md'), 'utf8')

test.each([
  ['relay', relaySettings],
  ['agent', agentSettings],
] as const)(
  'the operator finds every setting of the %s, as it is: its name, what it does, its default',
  (_, schema) => {
    expect(document).toContain(tableOf(schema))
  },
)

function tableOf(schema: SettingsSchema): string {
  const rows = Object.keys(schema.shape).map((name) => {
    const { about, secret } = aboutOf(schema, name)
    return `| \`${name}\`${secret ? ` or \`${name}_FILE\`` : ''} | ${about} | ${defaultOf(schema, name)} |`
  })
  return ['| Setting | What it does | Default |', '|---|---|---|', ...rows].join('\n')
}

function defaultOf(schema: SettingsSchema, name: string): string {
  // The name of the machine that it runs on.
  if (name === 'DEVICE_NAME') return "the machine's name"
  // Somewhere else in each checkout.
  if (name === 'CONSOLE_DIR') return 'beside the program'
  const result = schema.shape[name]?.safeParse(undefined)
  if (!result?.success) return '**must be set**'
  const value: unknown = result.data
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return '–'
  return `\`${typeof value === 'boolean' ? Number(value) : value}\``
}
