/** The version of Twilio's API that the interface follows. */
export const API_VERSION = '2010-04-01'

/** Returns the code of Twilio's dictionary for a failure. */
export function twilioErrorCode(code: string | null): number {
  switch (code) {
    case 'report_failed':
      return 30003 // unreachable handset
    case 'refused':
      return 30007 // refused by the network
    case 'ttl_expired':
      return 30036 // validity period expired
    case 'too_large':
      return 21617 // text too long
    case 'no_such_sim':
    case 'device_deleted':
    case 'emulated_modem':
      return 21606 // sender cannot send
    default:
      return 30008 // unknown error
  }
}

/** For example `Sun, 01 Mar 2026 12:00:00 +0000`. */
export function rfc2822(time: Date): string {
  return time.toUTCString().replace(/GMT$/, '+0000')
}
