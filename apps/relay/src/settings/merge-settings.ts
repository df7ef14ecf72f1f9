import { defaultSettings, type Settings, type SettingsChange } from '@smsgw/contract/relay/settings'

/** Settings that the account has changed, as stored. Secrets are stored separately. */
export type OwnSettings = { readonly [Section in keyof Settings]?: Partial<Settings[Section]> }

/** Merges a change. Sections and keys that are null are reset to their defaults. Missing sections and keys are kept. */
export function mergeSettings(own: OwnSettings, change: SettingsChange): OwnSettings {
  const { webhooks, ...rest } = change
  const plain = { ...rest, webhooks: webhooks && withoutSecret(webhooks) }
  const names = Object.keys(defaultSettings) as (keyof Settings)[]
  return Object.fromEntries(
    names.flatMap((name) => {
      const merged = mergeSection(own[name] ?? {}, plain[name])
      return Object.keys(merged).length === 0 ? [] : [[name, merged]]
    }),
  )
}

/** Returns all settings. The settings that the account has not changed have their defaults. */
export function withDefaults(own: OwnSettings): Settings {
  return {
    messages: { ...defaultSettings.messages, ...own.messages },
    webhooks: { ...defaultSettings.webhooks, ...own.webhooks },
    ping: { ...defaultSettings.ping, ...own.ping },
    logs: { ...defaultSettings.logs, ...own.logs },
    gateway: { ...defaultSettings.gateway, ...own.gateway },
    receiver: { ...defaultSettings.receiver, ...own.receiver },
    encryption: { ...defaultSettings.encryption, ...own.encryption },
  }
}

/** Returns true if agents have to report aliases in place of the numbers of senders. */
export function hidesSender({ encryption }: Pick<OwnSettings, 'encryption'>): boolean {
  return encryption?.inbox_hide_sender === true
}

function mergeSection(own: object, change: object | null | undefined): object {
  if (change === null) return {}
  const changed = Object.entries(change ?? {}).filter(([, value]) => value !== undefined)
  const merged = Object.entries({ ...own, ...Object.fromEntries(changed) })
  return Object.fromEntries(merged.filter(([, value]) => value !== null))
}

function withoutSecret({ signing_key: _, ...webhooks }: NonNullable<SettingsChange['webhooks']>): object {
  return webhooks
}
