import { alcatel } from './alcatel.ts'
import { cinterion } from './cinterion.ts'
import { dlink } from './dlink.ts'
import { ericsson } from './ericsson.ts'
import { fibocom } from './fibocom.ts'
import { huawei } from './huawei.ts'
import { icera } from './icera.ts'
import { intel } from './intel.ts'
import { nokia } from './nokia.ts'
import { novatel } from './novatel.ts'
import { option } from './option.ts'
import type { Profile } from './profile.ts'
import { qualcomm } from './qualcomm.ts'
import { quectel, quectelSerial } from './quectel.ts'
import { sierra } from './sierra.ts'
import { simcom2g, simcomA76xx, simcomLte } from './simcom.ts'
import { speedup } from './speedup.ts'
import { telit } from './telit.ts'
import { ublox } from './ublox.ts'
import { wavecom } from './wavecom.ts'
import { zte } from './zte.ts'

/** Every profile there is but `generic`, which is for what none of these fits. Of equals the first wins. */
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
