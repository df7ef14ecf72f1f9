import { huaweiE3372 } from './huawei-e3372.ts'
import type { Personality } from './personality.ts'

/** The E3372 stick with HiLink firmware: a network card with a web interface instead of ports. */
export const huaweiHilink: Personality = {
  ...huaweiE3372,
  name: 'huawei-hilink',
  title: 'Huawei E3372h-320 stick with a web interface (HiLink)',
  host: 'web',
  identity: { ...huaweiE3372.identity, model: 'E3372h-320', revision: '10.0.3.1(H192SP1C983)' },
  factory: { ...huaweiE3372.factory, memories: ['ME', 'ME', 'ME'] },
  messages: { ...huaweiE3372.messages, phoneCapacity: 500 },
}
