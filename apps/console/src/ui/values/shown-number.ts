import { aliasCode } from '@smsgw/contract/devices/number-alias'
import { t } from '../../words/text.ts'

/** Returns a phone number as people read it. Shortens an alias to its code. */
export function shownNumber(number: string): string {
  const code = aliasCode(number)
  return code === undefined ? number : t('push.hiddenNumber', { about: code })
}
