// The members of an answer that contain a cause. This file is separate from the causes, because a browser that
// reads only the causes does not need zod.

import { z } from 'zod'
import { networkCauses } from './network-cause.ts'

export const networkCause = z.enum(networkCauses).meta({
  id: 'NetworkCause',
  description:
    'Stable code that says what the error number means. The number comes from the network, the modem or the delivery report. Absent if its meaning is unknown',
})

export const networkCode = z.string().meta({
  description: 'Number from the network, the modem or the delivery report, such as `CMS 38` or `TP-ST 0x43`',
})
