import {
  type SettingEffect,
  type Settings,
  settingEffects,
  settings,
  settingsWithoutEffect,
} from '@smsgw/contract/relay/settings'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import type { Database } from '../store/database.ts'
import { readAccountSettings } from './read-settings.ts'

/**
 * Lists for each setting whether it takes effect with the present values of the other settings. The answer also tells
 * whether a write-only setting is set, but never its value.
 */
export function listSettingEffects({ database }: { readonly database: Database }): Endpoint {
  return endpoint({
    answers: { 200: settingEffects },
    async handle({ principal }) {
      const { settings: current, signingKeySealed } = await readAccountSettings(database, principal.accountId)
      const signingKey = { ...effectOf(SIGNING_KEY, current), isSet: signingKeySealed !== null }
      return { status: 200, body: [...SETTING_KEYS.map((key) => effectOf(key, current)), signingKey] }
    },
  })
}

const SETTING_KEYS: readonly string[] = Object.entries(settings.shape).flatMap(([section, { shape }]) =>
  Object.keys(shape).map((key) => `${section}.${key}`),
)

/** Write-only, and therefore missing from the schema of the settings that the API returns. */
const SIGNING_KEY = 'webhooks.signing_key'

function effectOf(key: string, current: Settings): SettingEffect {
  if ((settingsWithoutEffect as readonly string[]).includes(key)) return { key, effect: 'never' }
  const reason = reasonInactive(key, current.messages)
  return reason === undefined ? { key, effect: 'active' } : { key, effect: 'inactive', reason }
}

function reasonInactive(key: string, messages: Settings['messages']): string | undefined {
  if (key === 'messages.limit_value' && messages.limit_period === 'Disabled')
    return 'messages.limit_period is Disabled: no limit applies'
  if (/^messages\.work_hours_(start|end)$/.test(key) && !messages.work_hours_enabled)
    return 'messages.work_hours_enabled is false: messages are sent at any time'
  return undefined
}
