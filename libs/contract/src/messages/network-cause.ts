// Why the network, the SIM or the modem refused a message, or why a delivery report says that it did not arrive. A
// cause has a stable code, with which a program can show its own text. Several numbers of the standards can have the
// same cause.

/** Advice for people who read about a cause. */
export const causeAdviceCodes = [
  'ask_network_access',
  'ask_operator',
  'await_evidence',
  'check_number',
  'check_operator_reach',
  'check_registration',
  'check_service_centre',
  'check_signal',
  'check_text_and_credit',
  'configure_pin',
  'correct_pin',
  'correct_stick_password',
  'counts_as_sent',
  'delete_stick_messages',
  'insert_sim',
  'reinsert_sim',
  'remove_fixed_dialling',
  'replace_sim',
  'report_format',
  'reset_modem',
  'retried',
  'set_service_centre',
  'stop_other_programs',
  'storage_freed',
  'unlock_modem',
  'unlock_sim',
  'use_other_modem',
] as const

type CauseAdviceCode = (typeof causeAdviceCodes)[number]

interface CauseNumbers {
  /** `+CMS ERROR`: 24.011 Annex E-2, 23.040 §9.2.3.22 and 27.005 §3.2.5. */
  readonly cms?: readonly number[]
  /** `+CME ERROR`: 27.007 §9.2. */
  readonly cme?: readonly number[]
  /** Errors of the web interface of a HiLink stick. */
  readonly hilink?: readonly number[]
  /** TP-ST of a delivery report: 23.040 §9.2.3.15. The advice depends on the outcome of the report. */
  readonly report?: readonly number[]
  readonly advice?: CauseAdviceCode
}

const numbersByCause = {
  number_not_assigned: { cms: [1], advice: 'check_number' },
  recipient_unknown: { cms: [28, 30], advice: 'check_number' },
  number_refused: { cms: [195], cme: [26, 27], hilink: [113_054], advice: 'check_number' },
  recipient_barred: { cms: [196], advice: 'check_number' },
  recipient_unreachable: { cms: [27], advice: 'retried' },
  sending_barred: { cms: [8, 10], cme: [62], advice: 'ask_operator' },
  service_refused: { cms: [29], advice: 'ask_operator' },
  sms_not_subscribed: { cms: [50], cme: [133], advice: 'ask_operator' },
  message_rejected: { cms: [21], advice: 'check_text_and_credit' },
  network_out_of_order: { cms: [38], advice: 'retried' },
  network_failed_briefly: { cms: [41], advice: 'retried' },
  network_congested: { cms: [42, 47, 514], advice: 'retried' },
  network_request_unsupported: { cms: [69], cme: [132], advice: 'check_service_centre' },
  network_refused_format: { cms: [81, 95, 96, 97, 98, 99, 111], advice: 'report_format' },
  other_network_refused: { cms: [127], advice: 'check_operator_reach' },
  service_centre_refused_format: {
    cms: [128, 129, ...range(131, 159), 176, 198, 199],
    advice: 'report_format',
  },
  service_centre_refused_command: { cms: [130, ...range(160, 175)], advice: 'report_format' },
  service_centre_busy: { cms: [192], advice: 'retried' },
  service_centre_failed: { cms: [194], advice: 'retried' },
  service_centre_forbidden: { cms: [193], advice: 'ask_operator' },
  service_centre_no_reason: { cms: [255], advice: 'retried' },
  service_centre_not_set: { cms: [330], advice: 'set_service_centre' },
  already_accepted: { cms: [197], advice: 'counts_as_sent' },
  application_refused: { cms: range(224, 254), advice: 'report_format' },
  storage_full: { cms: [22, 208, 211, 322], cme: [20], advice: 'storage_freed' },
  storage_failed: { cms: [209, 320, 321], cme: [21], advice: 'storage_freed' },
  stick_storage_full: { hilink: [113_053], advice: 'delete_stick_messages' },
  stick_login_refused: { hilink: [100_003, 108_006, 108_007], advice: 'correct_stick_password' },
  modem_error: { cms: [210, 300], cme: [0, 1, 60], advice: 'reset_modem' },
  modem_in_other_use: { cms: [301], cme: [2], advice: 'stop_other_programs' },
  modem_not_ready: { cms: [302], cme: [3, 51, 57], advice: 'check_registration' },
  modem_starting: { cms: [515], cme: [515], hilink: [100_004], advice: 'retried' },
  modem_unsupported: { cms: [303], cme: [4, 49, 58], hilink: [100_002], advice: 'use_other_modem' },
  modem_refused_format: {
    cms: [304, 305],
    cme: [24, 25, 50, 59, 61, 150],
    hilink: [100_005, 100_006, 113_017],
    advice: 'report_format',
  },
  modem_locked: { cms: [312, 315], cme: [5, 6, 7, 15, ...range(40, 47)], advice: 'unlock_modem' },
  modem_gave_no_reason: { cms: [500], cme: [52, 100, 148], advice: 'await_evidence' },
  sim_missing: { cms: [310], cme: [10], hilink: [101_001], advice: 'insert_sim' },
  sim_pin_required: { cms: [311], cme: [11], hilink: [101_002], advice: 'configure_pin' },
  sim_pin_wrong: { cme: [16], hilink: [103_002], advice: 'correct_pin' },
  sim_puk_required: { cms: [316, 318], cme: [12, 18], hilink: [101_003], advice: 'unlock_sim' },
  sim_fixed_dialling: { cms: [317], cme: [17, 56], advice: 'remove_fixed_dialling' },
  sim_failed: { cms: [313], cme: [13, 23], hilink: [112_008], advice: 'reinsert_sim' },
  sim_blocked: { cme: [262], advice: 'replace_sim' },
  sim_busy: { cms: [212, 314], cme: [14], advice: 'retried' },
  sim_refused_message: { cms: [213], advice: 'retried' },
  no_network: { cms: [331], cme: [30], advice: 'check_signal' },
  network_access_refused: { cme: [32, 53, 54, 55, 103, 106, 111, 112, 113], advice: 'ask_network_access' },
  network_timeout: { cms: [332], cme: [31], hilink: [111_020], advice: 'await_evidence' },
  radio_collision: { cms: [512], advice: 'retried' },
  radio_link_failed: { cms: [513], advice: 'await_evidence' },
  report_received: { report: [0x00] },
  report_forwarded: { report: [0x01] },
  report_replaced: { report: [0x02] },
  report_congestion: { report: [0x20, 0x60] },
  report_recipient_busy: { report: [0x21, 0x61] },
  report_no_response: { report: [0x22, 0x62] },
  report_service_rejected: { report: [0x23, 0x63, ...range(0x80, 0xff)] },
  report_quality_unavailable: { report: [0x24, 0x44, 0x64] },
  report_recipient_error: { report: [0x25, 0x65] },
  report_procedure_error: { report: [0x40] },
  report_incompatible: { report: [0x41] },
  report_recipient_refused: { report: [0x42] },
  report_not_obtainable: { report: [0x43] },
  report_no_interworking: { report: [0x45] },
  report_expired: { report: [0x46] },
  report_deleted_by_sender: { report: [0x47] },
  report_deleted_by_operator: { report: [0x48] },
  report_message_missing: { report: [0x49] },
} satisfies Record<string, CauseNumbers>

export type NetworkCause = keyof typeof numbersByCause
export const networkCauses = Object.keys(numbersByCause) as [NetworkCause, ...NetworkCause[]]

/**
 * Returns the cause that a code like `CMS 38` or `TP-ST 0x43` names, or undefined for a number without a known meaning.
 */
export function causeOfNetworkCode(code: string): NetworkCause | undefined {
  return causesByCode.get(code)
}

export function adviceOfCause(cause: NetworkCause): CauseAdviceCode | undefined {
  const { advice }: CauseNumbers = numbersByCause[cause]
  return advice
}

/** Returns TP-ST in hexadecimal, as in the standard. */
export function reportCode(status: number): string {
  return `TP-ST 0x${status.toString(16).padStart(2, '0')}`
}

const causesByCode: ReadonlyMap<string, NetworkCause> = new Map(
  networkCauses.flatMap((cause) => {
    const { cms = [], cme = [], hilink = [], report = [] }: CauseNumbers = numbersByCause[cause]
    const codes = [
      ...cms.map((number) => `CMS ${number}`),
      ...cme.map((number) => `CME ${number}`),
      ...hilink.map((number) => `HILINK ${number}`),
      ...report.map(reportCode),
    ]
    return codes.map((code) => [code, cause] as const)
  }),
)

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at)
}
