import { huawei } from './huawei.ts'
import {
  alcatel,
  cinterion,
  dlink,
  ericsson,
  fibocom,
  icera,
  intel,
  nokia,
  novatel,
  option,
  qualcomm,
  sierra,
  speedup,
  telit,
  ublox,
  wavecom,
} from './other-vendors.ts'
import type { Profile } from './profile.ts'
import { quectel, quectelSerial } from './quectel.ts'
import { simcom2g, simcomA76xx, simcomLte } from './simcom.ts'
import { zte } from './zte.ts'

/**
 * All profiles except `generic`, which is used if none of these profiles fits. Of profiles with equal scores, the first
 * is used.
 */
export const catalogue: readonly Profile[] = [
  huawei,
  zte,
  quectel,
  quectelSerial,
  simcom2g,
  simcomLte,
  simcomA76xx,
  sierra,
  ublox,
  telit,
  cinterion,
  wavecom,
  novatel,
  nokia,
  option,
  dlink,
  fibocom,
  ericsson,
  intel,
  icera,
  alcatel,
  speedup,
  qualcomm,
]
