import type { Endpoint } from '../http/endpoint.ts'
import { type ChangeSettingsNeeds, changeSettings } from './change-settings.ts'
import { mergeSettings } from './merge-settings.ts'

/** What is named is merged into what there is. */
export function patchSettings(needs: ChangeSettingsNeeds): Endpoint {
  return changeSettings(needs, mergeSettings)
}
