import type { Endpoint } from '../http/endpoint.ts'
import { type ChangeSettingsNeeds, changeSettings } from './change-settings.ts'
import { mergeSettings } from './merge-settings.ts'

/** What is named replaces all that there was, except a secret that is not named. */
export function replaceSettings(needs: ChangeSettingsNeeds): Endpoint {
  return changeSettings(needs, (_, change) => mergeSettings({}, change))
}
