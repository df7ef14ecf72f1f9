import type { Endpoint } from '../http/endpoint.ts'
import { type ChangeSettingsDeps, changeSettings } from './change-settings.ts'
import { mergeSettings } from './merge-settings.ts'

/** Replaces all settings. Secrets that are not in the request are kept. */
export function replaceSettings(deps: ChangeSettingsDeps): Endpoint {
  return changeSettings(deps, (_, change) => mergeSettings({}, change))
}
