import { aliasCode } from '@smsgw/contract/devices/number-alias'
import { t } from '../../words/text.ts'

/** Returns a phone number as people read it. An alias is too long for that, so only its code is shown. */
export function shownNumber(number: string): string {
  const code = aliasCode(number)
  return code === undefined ? number : t('push.hiddenNumber', { about: code })
}
