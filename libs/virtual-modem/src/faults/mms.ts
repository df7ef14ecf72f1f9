import type { ContentTypeForm } from '@smsgw/sms/wap/wsp-push'
import type { FaultControl } from '../fault-control.ts'
import { fault } from './fault-description.ts'

export const mmsFaults = {
  'mms-content-type': fault('MMS notifications name their type as text, code or general form', { form: 'text' }),
}

export function mmsContentTypeForm(faults: FaultControl): ContentTypeForm | undefined {
  const form = faults.strike('mms-content-type')?.form
  return form === 'text' || form === 'code' || form === 'general' ? form : undefined
}
