// Stable codes for failed messages. The link and the database accept any text, because a newer agent may use codes that
// this relay does not know.

/** Codes set by an agent. */
export const agentFailureCodes = [
  'ttl_expired',
  'gave_up',
  'refused',
  'submit_unknown',
  'report_failed',
  'no_such_sim',
  'undecryptable',
  'unwritable',
  'agent_failed',
  'unsupported',
] as const

/** Codes set by the relay. */
export const relayFailureCodes = [
  'ttl_expired',
  'submit_unknown',
  'device_lost',
  'device_deleted',
  'emulated_modem',
  'too_large',
  'approval_refused',
  'approval_expired',
  'phone_failed',
] as const

/** Description of `errorCode` in answers. */
export const errorCodeMeaning = 'Stable code of the failure; present if the state is `Failed`'

export type AgentFailureCode = (typeof agentFailureCodes)[number]
export type RelayFailureCode = (typeof relayFailureCodes)[number]
export type FailureCode = AgentFailureCode | RelayFailureCode
