import { aliasCode } from '@smsgw/contract/devices/number-alias'
import { t } from '../../words/text.ts'

/** Returns a phone number as people read it. Of an alias, which is too long, only the code is shown. */
export function shownNumber(number: string): string {
  const code = aliasCode(number)
  return code === undefined ? number : t('push.hiddenNumber', { about: code })
}
