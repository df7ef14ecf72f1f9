import type { Auth } from '../auth/auth.ts'
import type { RedeemPairingCodeDeps } from '../devices/pairing/redeem-pairing-code.ts'
import { mobileRoute, type Route } from '../http/route.ts'
import { changePhonePassword, showPhoneSettings, showPhoneWebhooks } from './phone-account.ts'
import { createPhoneCode } from './phone-code.ts'
import { changePhone, showPhone } from './phone-device.ts'
import { type PullMessagesDeps, pullMessages } from './pull-messages.ts'
import { registerPhone } from './register-phone.ts'
import { type ReportStatesDeps, reportStates } from './report-states.ts'
import { type PhoneStreams, streamNotices } from './streams/phone-streams.ts'
import { uploadInbox } from './upload-inbox.ts'

interface MobileDeps extends PullMessagesDeps, ReportStatesDeps, RedeemPairingCodeDeps {
  readonly auth: Auth
  readonly streams: PhoneStreams
  readonly maxPhones: number
}

/** The API that the app *SMS Gateway for Android* calls. */
export function mobileRoutes(deps: MobileDeps): Route[] {
  return [
    mobileRoute('POST', '/device', 'public', 'Register a phone', registerPhone({ ...deps, ...deps.auth })),
    mobileRoute(
      'GET',
      '/device',
      'public',
      'Get the phone that a token belongs to',
      showPhone({ ...deps, ...deps.auth }),
    ),
    mobileRoute('PATCH', '/device', 'phone', 'Change the phone', changePhone(deps)),
    mobileRoute('GET', '/user/code', 'no token', 'Create a code for a phone', createPhoneCode(deps)),
    mobileRoute('PATCH', '/user/password', 'phone', 'Change the password', changePhonePassword(deps)),
    mobileRoute('GET', '/messages', 'phone', 'List messages to send', pullMessages(deps)),
    mobileRoute('PATCH', '/messages', 'phone', 'Report states of messages', reportStates(deps)),
    mobileRoute('GET', '/webhooks', 'phone', 'List webhooks that the phone has to call', showPhoneWebhooks()),
    mobileRoute('GET', '/settings', 'phone', 'Get the settings', showPhoneSettings(deps)),
    mobileRoute('POST', '/inbox', 'phone', 'Store received messages', uploadInbox(deps)),
    mobileRoute('GET', '/events', 'phone', 'Stream notices', streamNotices(deps)),
  ]
}
