import { constants, createPublicKey, publicEncrypt } from 'node:crypto'
import type { Capability } from '@smsgw/contract/link/frame'
import { type Settings, type SettingsChange, settings, settingsChange } from '@smsgw/contract/relay/settings'
import type { CoreDeps } from '../core-deps.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { ApiError, type FieldError } from '../http/errors/api-error.ts'
import { validationError } from '../http/errors/validation-error.ts'
import type { Statements } from '../store/database.ts'
import type { Device } from '../store/generated/client.ts'
import type { SecretBox } from '../store/secret-box.ts'
import { lockSettings } from './lock-settings-statement.ts'
import { hidesSender, mergeSettings, type OwnSettings, withDefaults } from './merge-settings.ts'

interface ChangeSettingsDeps extends Pick<CoreDeps, 'database' | 'box' | 'logbook'> {
  /** Called after the commit, so that the agents of the account get the settings. */
  readonly hints: { settingsChanged(accountId: string): void }
}

/** The purpose for which `SecretBox` encrypts `webhooks.signing_key`. */
export const SIGNING_KEY = 'webhook-signing-key'

/** Changes the given settings and keeps all others. */
export function patchSettings(deps: ChangeSettingsDeps): Endpoint {
  return changeSettings(deps, mergeSettings)
}

/** Replaces all settings. Secrets that are not in the request are kept. */
export function replaceSettings(deps: ChangeSettingsDeps): Endpoint {
  return changeSettings(deps, (_, change) => mergeSettings({}, change))
}

function changeSettings(
  { database, box, logbook, hints }: ChangeSettingsDeps,
  merge: (own: OwnSettings, change: SettingsChange) => OwnSettings,
): Endpoint {
  return endpoint({
    body: settingsChange,
    answers: { 200: settings },
    async handle({ principal: { accountId }, body }) {
      const changed = await database.$transaction(async (statements) => {
        const before = await lockSettings(statements, accountId)
        if (before === undefined) throw new ApiError(401, 'The account was removed')
        const own = merge(before, body)
        refuseBroken(own, before)
        if (hidesSender(own) && !hidesSender(before)) await refuseUnableDevices(statements, accountId)
        await statements.account.update({
          where: { id: accountId },
          data: { settings: own, settingsVersion: { increment: 1 }, ...sealedKey(box, body) },
        })
        return own
      })
      hints.settingsChanged(accountId)
      logbook.write({ accountId, module: 'settings', priority: 'INFO', message: 'settings changed' })
      return { status: 200, body: withDefaults(changed) }
    },
  })
}

function refuseBroken(own: OwnSettings, before: OwnSettings): void {
  const broken = [...brokenRules(withDefaults(own)), ...reusedVersion(own, before)]
  if (broken.length > 0) throw validationError(broken, 'body')
}

/** Refuses to hide senders while the account has a device that reports senders in clear. */
async function refuseUnableDevices(statements: Statements, accountId: string): Promise<void> {
  const devices = await statements.device.findMany({
    where: { accountId, deletedAt: null },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    select: { name: true, phoneTokenHash: true, connEpoch: true, capabilities: true, capabilitiesEpoch: true },
  })
  const path = 'encryption.inbox_hide_sender'
  const broken = devices.flatMap(({ name, ...device }): FieldError[] => {
    const named = `${JSON.stringify(name)} reports the numbers of senders`
    if (device.phoneTokenHash !== null)
      return [
        {
          path,
          reason: 'phone_cannot_hide_senders',
          values: { device: name },
          message: `cannot be set, because the phone ${named}: remove the phone, or use another account for it`,
        },
      ]
    if (device.connEpoch === 0n || supports(device, 'number-alias')) return []
    return [
      {
        path,
        reason: 'agent_cannot_hide_senders',
        values: { device: name },
        message: `cannot be set, because the agent of ${named}: upgrade the agent first`,
      },
    ]
  })
  if (broken.length > 0) throw validationError(broken, 'body')
}

function supports(
  { capabilities, capabilitiesEpoch, connEpoch }: Pick<Device, 'capabilities' | 'capabilitiesEpoch' | 'connEpoch'>,
  capability: Capability,
): boolean {
  return capabilitiesEpoch === connEpoch && capabilities.includes(capability)
}

function sealedKey(box: SecretBox, { webhooks }: SettingsChange): { signingKeySealed?: string | null } {
  const key = webhooks?.signing_key
  if (key === undefined) return {}
  return { signingKeySealed: key === null ? null : box.seal(key, SIGNING_KEY) }
}

/**
 * Returns the errors of settings that conflict with each other. A changed setting may conflict with a setting that was
 * changed earlier.
 */
function brokenRules({ messages, encryption }: Settings): FieldError[] {
  const broken = brokenKey(encryption)
  const { send_interval_min: min, send_interval_max: max } = messages
  if (min !== undefined && max !== undefined && min > max)
    broken.push({
      path: 'messages.send_interval_min',
      reason: 'pauses_reversed',
      values: { minimum: min, maximum: max },
      message: `${min} is more than messages.send_interval_max (${max}): lower messages.send_interval_min, or raise messages.send_interval_max`,
    })
  if (messages.limit_period !== 'Disabled' && messages.limit_value === undefined)
    broken.push({
      path: 'messages.limit_value',
      reason: 'limit_without_value',
      message: `is required with messages.limit_period ${messages.limit_period}: set the number of messages in that period`,
    })
  if (messages.work_hours_enabled) broken.push(...brokenWorkHours(messages))
  return broken
}

function brokenKey(encryption: Settings['encryption']): FieldError[] {
  const { inbox_public_key: key, inbox_key_version: version } = encryption
  if (key === undefined && encryption.inbox_hide_sender === true) {
    const message = 'is required with encryption.inbox_hide_sender: set the key, or set inbox_hide_sender to false'
    return [{ path: 'encryption.inbox_public_key', reason: 'hidden_sender_without_key', message }]
  }
  if (key === undefined && version === undefined) return []
  if (key === undefined || version === undefined) {
    const [missing, given] = key === undefined ? ['public_key', 'key_version'] : ['key_version', 'public_key']
    const reason = key === undefined ? 'version_without_key' : 'key_without_version'
    const message = `is required with encryption.inbox_${given}: set both`
    return [{ path: `encryption.inbox_${missing}`, reason, message }]
  }
  if (isUsableKey(key)) return []
  const message = 'must be an RSA public key with 2048 to 8192 bits, as SubjectPublicKeyInfo in base64'
  return [{ path: 'encryption.inbox_public_key', reason: 'rsa_key', message }]
}

/**
 * Returns an error if another key already has this version. An encrypted value contains only the version of its key, so
 * with two keys of one version, the right key could not be determined.
 */
function reusedVersion({ encryption }: OwnSettings, { encryption: before }: OwnSettings): FieldError[] {
  const { inbox_public_key: key, inbox_key_version: version } = encryption ?? {}
  if (key === undefined || version === undefined || version !== before?.inbox_key_version) return []
  if (key === before.inbox_public_key) return []
  const message = `is the version of the present key: give the new key another version, for example ${version + 1}`
  return [{ path: 'encryption.inbox_key_version', reason: 'key_version_reused', message }]
}

/**
 * Encrypts a value to test the key, because an agent that cannot encrypt with the key would report received messages
 * unencrypted.
 */
function isUsableKey(base64: string): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' })
    const { modulusLength: bits = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {}
    if (key.asymmetricKeyType !== 'rsa' || bits < 2_048 || bits > 8_192) return false
    // Refuses these exponents: with the exponent 1, anybody can decrypt the values; with an even exponent, nobody can.
    if (publicExponent < 3n || publicExponent % 2n === 0n) return false
    publicEncrypt({ key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }, Buffer.alloc(32))
    return true
  } catch {
    return false
  }
}

function brokenWorkHours({ work_hours_start: start, work_hours_end: end }: Settings['messages']): FieldError[] {
  const missing = [
    ...(start === undefined ? ['work_hours_start'] : []),
    ...(end === undefined ? ['work_hours_end'] : []),
  ]
  if (missing.length === 0 && start === end)
    return [
      {
        path: 'messages.work_hours_end',
        reason: 'work_hours_equal',
        message: `must differ from messages.work_hours_start (${start}): to send at any time of day, set messages.work_hours_enabled to false`,
      },
    ]
  return missing.map((key) => ({
    path: `messages.${key}`,
    reason: 'work_hours_missing',
    message: 'is required while messages.work_hours_enabled is true: set it as HH:mm',
  }))
}
