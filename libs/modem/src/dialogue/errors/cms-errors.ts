import { byCode, type ErrorMeaning, of, pinAdvice, sim } from './error-meaning.ts'

const second = 1000
const minute = 60 * second

const checkNumber = 'Check the number and its country code before you send again.'
const askOperator = 'Ask the operator whether the SIM may send SMS, and whether the SIM has credit.'
const reportPdu =
  'Sending the message again does not help. Report the error with a trace: this network refuses the format of the message.'
const waitAndRetry = 'No action needed: retried automatically.'
const freeStorage = 'The stored messages are read and deleted, then the command is retried.'
const lookAtModem =
  'The command is retried automatically. If the problem persists, reset the modem and check its power supply.'
const awaitEvidence =
  'The message may have been sent. A delivery report can confirm that it was sent. The message is not sent again automatically.'

const badNumber = (standard: string, words: string) => of('permanent', standard, words, checkNumber)
const badPdu = (standard: string, words: string) => of('permanent', standard, words, reportPdu)
const barredSim = (standard: string, words: string): ErrorMeaning => ({
  ...of('permanent', standard, words, askOperator),
  alarm: 'sim',
})
const later = (standard: string, words: string, retryAfterMs: number) =>
  of('temporary', standard, words, waitAndRetry, retryAfterMs)
const storage = (standard: string, words: string) => of('storage', standard, words, freeStorage, 10 * second)

/**
 * +CMS ERROR: causes of 24.011 Annex E-2, TP failure causes of 23.040 §9.2.3.22, 27.005 §3.2.5, and vendors' own codes.
 */
export const cmsErrors: ReadonlyMap<number, ErrorMeaning> = byCode({
  // 24.011 Annex E-2: RP-Cause
  1: badNumber('unassigned (unallocated) number', 'The number does not exist.'),
  8: barredSim('operator determined barring', 'The operator has barred this SIM from sending.'),
  10: barredSim('call barred', 'Sending is barred for this SIM.'),
  21: {
    ...of(
      'permanent',
      'short message transfer rejected',
      'The network refused the message. Usual causes: a spam filter, no credit, a number the tariff does not allow.',
      'Check the message text and the credit of the SIM. If this happens often, pause the SIM before the operator blocks it.',
    ),
    alarm: 'rate',
  },
  22: of('storage', 'memory capacity exceeded', 'Memory for messages is full.', freeStorage, 10 * second),
  27: later('destination out of order', 'The recipient cannot be reached at present.', 30 * minute),
  28: badNumber('unidentified subscriber', 'The network does not know this subscriber.'),
  29: barredSim('facility rejected', 'The network refuses this service to the SIM.'),
  30: badNumber('unknown subscriber', 'The network does not know the recipient.'),
  38: later('network out of order', 'The network is out of order.', 5 * minute),
  41: later('temporary failure', 'A temporary failure in the network.', 10 * second),
  42: later('congestion', 'The network is congested.', 30 * second),
  47: later('resources unavailable, unspecified', 'The network has no resources at present.', 30 * second),
  50: barredSim('requested facility not subscribed', 'SMS is not part of the subscription of this SIM.'),
  69: {
    ...of(
      'permanent',
      'requested facility not implemented',
      'The network does not support the request. Often the service centre number on the SIM is wrong.',
      'Check that the SIM has the service centre number that the operator publishes. Then check the number of the recipient.',
    ),
    alarm: 'rate',
  },
  81: badPdu('invalid short message transfer reference value', 'The network did not recognise the transfer.'),
  95: badPdu('semantically incorrect message', 'The network found the message incorrect.'),
  96: badPdu('invalid mandatory information', 'The network found the message incorrect.'),
  97: badPdu('message type non-existent or not implemented', 'The network does not support this type of message.'),
  98: badPdu('message not compatible with short message protocol state', 'The network did not expect this message.'),
  99: badPdu(
    'information element non-existent or not implemented',
    'The network does not support an element of the message.',
  ),
  111: badPdu('protocol error, unspecified', 'A protocol error between network and modem.'),
  127: {
    ...of(
      'permanent',
      'interworking, unspecified',
      'An intermediate network refused the message without a reason.',
      'Check the number; this operator may be unable to reach the network of the recipient.',
    ),
    alarm: 'rate',
  },

  // 23.040 §9.2.3.22: TP-FCS
  128: badPdu('telematic interworking not supported', 'The service centre does not support this kind of delivery.'),
  129: badPdu('short message type 0 not supported', 'The service centre does not accept silent messages.'),
  130: badPdu('cannot replace short message', 'The message to be replaced no longer exists.'),
  ...range(131, 142, badPdu('reserved TP-PID error', 'The service centre does not accept this protocol identifier.')),
  143: badPdu('unspecified TP-PID error', 'The service centre does not accept this protocol identifier.'),
  144: badPdu('data coding scheme (alphabet) not supported', 'The service centre does not accept this alphabet.'),
  145: badPdu('message class not supported', 'The service centre does not accept this message class.'),
  ...range(146, 158, badPdu('reserved TP-DCS error', 'The service centre does not accept this data coding scheme.')),
  159: badPdu('unspecified TP-DCS error', 'The service centre does not accept this data coding scheme.'),
  160: badPdu('command cannot be actioned', 'The service centre cannot carry out the command.'),
  161: badPdu('command unsupported', 'The service centre does not support this command.'),
  ...range(162, 174, badPdu('reserved TP-Command error', 'The service centre refused the command.')),
  175: badPdu('unspecified TP-Command error', 'The service centre refused the command.'),
  176: badPdu('TPDU not supported', 'The service centre does not accept this type of message.'),
  192: later('SC busy', 'The service centre is busy.', minute),
  193: barredSim('no SC subscription', 'This SIM is not allowed to use this service centre.'),
  194: later('SC system failure', 'The service centre has failed.', 5 * minute),
  195: badNumber('invalid SME address', 'The service centre does not accept this number.'),
  196: badNumber('destination SME barred', 'The recipient is barred.'),
  197: of(
    'duplicate',
    'SM rejected-duplicate SM',
    'The service centre already has this message.',
    'No action needed: the message counts as sent.',
  ),
  198: badPdu('TP-VPF not supported', 'The service centre does not accept this form of validity period.'),
  199: badPdu('TP-VP not supported', 'The service centre does not accept this validity period.'),
  208: storage('(U)SIM SMS storage full', 'The message storage of the SIM is full.'),
  209: storage('no SMS storage capability in (U)SIM', 'The SIM has no message storage.'),
  210: of('temporary', 'error in MS', 'Internal error of the modem.', lookAtModem, 10 * second),
  211: storage('memory capacity exceeded', 'Memory for messages is full.'),
  212: later('(U)SIM application toolkit busy', 'An application on the SIM is busy.', 5 * second),
  213: later('(U)SIM data download error', 'An application on the SIM did not accept the message.', 10 * second),
  ...range(224, 254, badPdu('value specific to an application', 'An application refused the message.')),
  255: later('unspecified error cause', 'The service centre refused the message without a reason.', 5 * minute),

  // 27.005 §3.2.5
  300: of('temporary', 'ME failure', 'Internal error of the modem.', lookAtModem, 10 * second),
  301: of(
    'temporary',
    'SMS service of ME reserved',
    'Another program uses the SMS service of the modem.',
    'Stop other programs on the same modem. The command is retried automatically.',
    10 * second,
  ),
  302: of(
    'registration',
    'operation not allowed',
    'Not allowed at present: usually the modem is not registered in a network, or the SIM requires its PIN.',
    'Check the registration and the SIM. The command is retried when both are OK.',
    10 * second,
  ),
  303: of(
    'permanent',
    'operation not supported',
    'This modem does not support the request.',
    'Sending the message again does not help; use another modem or newer firmware.',
  ),
  304: badPdu('invalid PDU mode parameter', 'The modem found the message incorrect.'),
  305: badPdu('invalid text mode parameter', 'The modem found the message incorrect, or is in text mode.'),
  310: sim(
    '(U)SIM not inserted',
    'There is no SIM.',
    'Insert a SIM. If one is already inserted, clean its metal contacts and insert it again.',
  ),
  311: sim('(U)SIM PIN required', 'The SIM requires its PIN.', pinAdvice),
  312: sim(
    'PH-(U)SIM PIN required',
    'The modem is locked to another SIM.',
    'Unlock the modem with the code from its seller.',
  ),
  313: sim(
    '(U)SIM failure',
    'The SIM does not answer correctly.',
    'Insert the SIM again; if the problem persists, replace it.',
  ),
  314: of(
    'temporary',
    '(U)SIM busy',
    'The SIM is busy, which is normal for some seconds after a start.',
    waitAndRetry,
    2 * second,
  ),
  315: sim(
    '(U)SIM wrong',
    'The modem does not accept this SIM.',
    'Use a SIM of the operator that the modem is locked to.',
  ),
  316: sim(
    '(U)SIM PUK required',
    'The SIM is locked and requires its PUK.',
    'Unlock the SIM in a phone with the PUK from the operator.',
  ),
  317: sim(
    '(U)SIM PIN2 required',
    'The SIM requires PIN2.',
    'Fixed dialling is active on the SIM and restricts it. Put the SIM into a phone and turn off fixed dialling.',
  ),
  318: sim(
    '(U)SIM PUK2 required',
    'The SIM requires PUK2.',
    'Unlock the SIM in a phone with the PUK2 from the operator.',
  ),
  320: storage('memory failure', 'The message storage failed.'),
  321: storage('invalid memory index', 'The message storage has no slot with this index.'),
  322: storage('memory full', 'The message storage is full.'),
  330: sim(
    'SMSC address unknown',
    'The number of the service centre is not set.',
    "Set the operator's service centre number.",
  ),
  331: of(
    'registration',
    'no network service',
    'The modem has no network.',
    'The command is retried when the modem is registered. Check the antenna and the signal.',
    30 * second,
  ),
  332: of('unknown', 'network timeout', 'The network did not answer in time.', awaitEvidence),
  340: of(
    'harmless',
    'no +CNMA acknowledgement expected',
    'The modem did not expect an acknowledgement.',
    'No action needed.',
  ),
  500: { ...of('unknown', 'unknown error', 'The modem gives no reason.', awaitEvidence), alarm: 'rate' },

  // Vendor codes, in the numbering of Quectel, SIMCom and Siemens
  512: later('MM establishment failure', 'No connection: a message or call was arriving at the same time.', 5 * second),
  513: of('unknown', 'lower layer failure', 'The radio link broke while sending.', awaitEvidence),
  514: later('congestion', 'The cell is congested.', 10 * second),
  515: later('service initialising', 'The modem is still starting its SMS service.', 5 * second),
})

function range(first: number, last: number, meaning: ErrorMeaning): Record<number, ErrorMeaning> {
  return Object.fromEntries(Array.from({ length: last - first + 1 }, (_, i) => [first + i, meaning]))
}
