import type { ContentTypeForm } from '@smsgw/sms/wap/wsp-push'
import type { MenuReply } from './ussd-menu.ts'

/** A registered modem, from the point of view of the network. */
export interface Station {
  readonly imei: string
  /**
   * Delivers a DELIVER or STATUS-REPORT. `answer` is called once, or never if the modem loses power or the host does
   * not acknowledge.
   */
  deliver(message: Downlink, answer: (reply: DeliveryReply) => void): void
  /** Delivers a cell broadcast page of 88 octets (23.041 §9.4.1.2). */
  broadcast(page: Uint8Array): void
  /** Delivers USSD that the network starts. */
  ussd(reply: MenuReply): void
  ring(from: string, forMs: number): void
  /**
   * How the content type is encoded in MMS notifications to this modem. Undefined unless a fault changes the encoding.
   */
  mmsContentTypeForm(): ContentTypeForm | undefined
}

export interface Downlink {
  readonly tpdu: Uint8Array
  readonly serviceCentre: string
}

/**
 * `taken`: delivered. `memory-full`: kept until the modem reports free memory (23.040 §3.2.8). `error`: not received.
 * `later`: a fault lets the next message overtake this message. `again`: a fault loses the acknowledgement.
 */
export type DeliveryReply = 'taken' | 'memory-full' | 'error' | 'later' | 'again'

/** The result of a SUBMIT; `cause` is the number in +CMS ERROR. */
export type SubmitResult = { readonly ok: true } | { readonly ok: false; readonly cause: number }
