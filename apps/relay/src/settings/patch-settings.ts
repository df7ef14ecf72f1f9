import type { Endpoint } from '../http/endpoint.ts'
import { type ChangeSettingsDeps, changeSettings } from './change-settings.ts'
import { mergeSettings } from './merge-settings.ts'

/** Changes the given settings and keeps all others. */
export function patchSettings(deps: ChangeSettingsDeps): Endpoint {
  return changeSettings(deps, mergeSettings)
}
