import { generic } from './generic.ts'
import { huaweiE173 } from './huawei-e173.ts'
import { huaweiE3372 } from './huawei-e3372.ts'
import { huaweiHilink } from './huawei-hilink.ts'
import type { Personality } from './personality.ts'
import { quectelEc25 } from './quectel-ec25.ts'
import { simcomSim800 } from './simcom-sim800.ts'
import { simcomSim7600 } from './simcom-sim7600.ts'

/** All modem families by name. */
export const personalities: Readonly<Record<string, Personality>> = Object.fromEntries(
  [generic, quectelEc25, simcomSim7600, simcomSim800, huaweiE3372, huaweiHilink, huaweiE173].map((personality) => [
    personality.name,
    personality,
  ]),
)
