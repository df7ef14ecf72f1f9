import { fault } from './fault-description.ts'

export const registrationFaults = {
  registration: fault('Registration is this: 6 SMS only, 11 emergency only, 3 denied …', { stat: 3 }),
  'eps-only': fault('Registered for LTE alone: CEREG says yes, CREG and CGREG no'),
  'signal-unknown': fault('+CSQ: 99,99'),
}
