import type { ContentTypeForm } from '@smsgw/sms/wap/wsp-push'
import type { UssdReply } from './ussd-menu.ts'

/** What the network sees of a modem that has registered. */
export interface Station {
  readonly imei: string
  /** A DELIVER or STATUS-REPORT. `answer` is called once, or never when the modem loses power or its host is silent. */
  deliver(message: Downlink, answer: (reply: DeliveryReply) => void): void
  /** A page of cell broadcast, 88 octets (23.041 §9.4.1.2). */
  broadcast(page: Uint8Array): void
  /** USSD that the network begins. */
  ussd(reply: UssdReply): void
  ring(from: string, forMs: number): void
  /** How MMS notifications to it name their type, when it cares. */
  mmsContentTypeForm(): ContentTypeForm | undefined
}

export interface Downlink {
  readonly tpdu: Uint8Array
  readonly serviceCentre: string
}

/**
 * `memory-full`: keep it until the modem says there is room (23.040 §3.2.8). `error`: the modem has it not.
 * `taken`: done. `later`: faults let the next one go first. `again`: the acknowledgement got lost on the way.
 */
export type DeliveryReply = 'taken' | 'memory-full' | 'error' | 'later' | 'again'

/** What a SUBMIT comes to; `cause` is what +CMS ERROR shows. */
export type SubmitResult = { readonly ok: true } | { readonly ok: false; readonly cause: number }
