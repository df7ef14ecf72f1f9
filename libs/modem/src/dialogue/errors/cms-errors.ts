import type { ErrorMeaning } from './error-meaning.ts'

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
  'The message may have been sent. A status report can confirm that it was sent. The message is not sent again automatically.'

const badNumber = (standard: string, words: string): ErrorMeaning => ({
  standard,
  class: 'permanent',
  words,
  advice: checkNumber,
})
const badPdu = (standard: string, words: string): ErrorMeaning => ({
  standard,
  class: 'permanent',
  words,
  advice: reportPdu,
})
const barredSim = (standard: string, words: string): ErrorMeaning => ({
  standard,
  class: 'permanent',
  words,
  advice: askOperator,
  alarm: 'sim',
})
const later = (standard: string, words: string, retryAfterMs: number): ErrorMeaning => ({
  standard,
  class: 'temporary',
  words,
  advice: waitAndRetry,
  retryAfterMs,
})
const sim = (standard: string, words: string, advice: string): ErrorMeaning => ({
  standard,
  class: 'sim',
  words,
  advice,
  alarm: 'sim',
})

/**
 * +CMS ERROR: causes of 24.011 Annex E-2, TP failure causes of 23.040 §9.2.3.22, 27.005 §3.2.5, and vendors' own codes.
 */
export const cmsErrors: ReadonlyMap<number, ErrorMeaning> = new Map<number, ErrorMeaning>([
  // 24.011 Annex E-2: RP-Cause
  [1, badNumber('unassigned (unallocated) number', 'The number does not exist.')],
  [8, barredSim('operator determined barring', 'The operator has barred this SIM from sending.')],
  [10, barredSim('call barred', 'Sending is barred for this SIM.')],
  [
    21,
    {
      standard: 'short message transfer rejected',
      class: 'permanent',
      words:
        'The network rejected the message. Usual causes: a spam filter, no credit, a number the tariff does not allow.',
      advice:
        'Check the message text and the credit of the SIM. If this happens often, pause the SIM before the operator blocks it.',
      alarm: 'rate',
    },
  ],
  [
    22,
    {
      standard: 'memory capacity exceeded',
      class: 'storage',
      words: 'Memory for messages is full.',
      advice: freeStorage,
      retryAfterMs: 10 * second,
    },
  ],
  [27, later('destination out of order', 'The recipient cannot be reached at present.', 30 * minute)],
  [28, badNumber('unidentified subscriber', 'The network does not know this subscriber.')],
  [29, barredSim('facility rejected', 'The network refuses this service to the SIM.')],
  [30, badNumber('unknown subscriber', 'The network does not know the recipient.')],
  [38, later('network out of order', 'The network is out of order.', 5 * minute)],
  [41, later('temporary failure', 'A temporary failure in the network.', 10 * second)],
  [42, later('congestion', 'The network is congested.', 30 * second)],
  [47, later('resources unavailable, unspecified', 'The network has no resources at present.', 30 * second)],
  [50, barredSim('requested facility not subscribed', 'SMS is not part of the subscription of this SIM.')],
  [
    69,
    {
      standard: 'requested facility not implemented',
      class: 'permanent',
      words: 'The network does not support the request. Often the service centre number on the SIM is wrong.',
      advice:
        'Check that the SIM has the service centre number that the operator publishes. Then check the number of the recipient.',
      alarm: 'rate',
    },
  ],
  [81, badPdu('invalid short message transfer reference value', 'The network did not recognise the transfer.')],
  [95, badPdu('semantically incorrect message', 'The network found the message incorrect.')],
  [96, badPdu('invalid mandatory information', 'The network found the message incorrect.')],
  [97, badPdu('message type non-existent or not implemented', 'The network does not support this type of message.')],
  [98, badPdu('message not compatible with short message protocol state', 'The network did not expect this message.')],
  [
    99,
    badPdu(
      'information element non-existent or not implemented',
      'The network does not support an element of the message.',
    ),
  ],
  [111, badPdu('protocol error, unspecified', 'A protocol error between network and modem.')],
  [
    127,
    {
      standard: 'interworking, unspecified',
      class: 'permanent',
      words: 'An intermediate network refused the message without a reason.',
      advice: 'Check the number; this operator may be unable to reach the network of the recipient.',
      alarm: 'rate',
    },
  ],

  // 23.040 §9.2.3.22: TP-FCS
  [128, badPdu('telematic interworking not supported', 'The service centre does not support this kind of delivery.')],
  [129, badPdu('short message type 0 not supported', 'The service centre does not accept silent messages.')],
  [130, badPdu('cannot replace short message', 'The message to be replaced no longer exists.')],
  ...range(131, 142, () =>
    badPdu('reserved TP-PID error', 'The service centre does not accept this protocol identifier.'),
  ),
  [143, badPdu('unspecified TP-PID error', 'The service centre does not accept this protocol identifier.')],
  [144, badPdu('data coding scheme (alphabet) not supported', 'The service centre does not accept this alphabet.')],
  [145, badPdu('message class not supported', 'The service centre does not accept this message class.')],
  ...range(146, 158, () =>
    badPdu('reserved TP-DCS error', 'The service centre does not accept this data coding scheme.'),
  ),
  [159, badPdu('unspecified TP-DCS error', 'The service centre does not accept this data coding scheme.')],
  [160, badPdu('command cannot be actioned', 'The service centre cannot carry out the command.')],
  [161, badPdu('command unsupported', 'The service centre does not support this command.')],
  ...range(162, 174, () => badPdu('reserved TP-Command error', 'The service centre refused the command.')),
  [175, badPdu('unspecified TP-Command error', 'The service centre refused the command.')],
  [176, badPdu('TPDU not supported', 'The service centre does not accept this type of message.')],
  [192, later('SC busy', 'The service centre is busy.', minute)],
  [193, barredSim('no SC subscription', 'This SIM is not allowed to use this service centre.')],
  [194, later('SC system failure', 'The service centre has failed.', 5 * minute)],
  [195, badNumber('invalid SME address', 'The service centre does not accept this number.')],
  [196, badNumber('destination SME barred', 'The recipient is barred.')],
  [
    197,
    {
      standard: 'SM rejected-duplicate SM',
      class: 'duplicate',
      words: 'The service centre already has this message.',
      advice: 'No action needed: the message counts as sent.',
    },
  ],
  [198, badPdu('TP-VPF not supported', 'The service centre does not accept this form of validity period.')],
  [199, badPdu('TP-VP not supported', 'The service centre does not accept this validity period.')],
  [208, storage('(U)SIM SMS storage full', 'The message storage of the SIM is full.')],
  [209, storage('no SMS storage capability in (U)SIM', 'The SIM has no message storage.')],
  [
    210,
    {
      standard: 'error in MS',
      class: 'temporary',
      words: 'Internal error of the modem.',
      advice: lookAtModem,
      retryAfterMs: 10 * second,
    },
  ],
  [211, storage('memory capacity exceeded', 'Memory for messages is full.')],
  [212, later('(U)SIM application toolkit busy', 'An application on the SIM is busy.', 5 * second)],
  [213, later('(U)SIM data download error', 'An application on the SIM did not accept the message.', 10 * second)],
  ...range(224, 254, () => badPdu('value specific to an application', 'An application refused the message.')),
  [255, later('unspecified error cause', 'The service centre refused the message without a reason.', 5 * minute)],

  // 27.005 §3.2.5
  [
    300,
    {
      standard: 'ME failure',
      class: 'temporary',
      words: 'Internal error of the modem.',
      advice: lookAtModem,
      retryAfterMs: 10 * second,
    },
  ],
  [
    301,
    {
      standard: 'SMS service of ME reserved',
      class: 'temporary',
      words: 'Another program uses the SMS service of the modem.',
      advice: 'Stop other programs on the same modem. The command is retried automatically.',
      retryAfterMs: 10 * second,
    },
  ],
  [
    302,
    {
      standard: 'operation not allowed',
      class: 'registration',
      words: 'Not allowed at present: usually the modem is not registered in a network, or the SIM requires its PIN.',
      advice: 'Check the registration and the SIM. The command is retried when both are OK.',
      retryAfterMs: 10 * second,
    },
  ],
  [
    303,
    {
      standard: 'operation not supported',
      class: 'permanent',
      words: 'This modem does not support the request.',
      advice: 'Sending the message again does not help; use another modem or newer firmware.',
    },
  ],
  [304, badPdu('invalid PDU mode parameter', 'The modem found the message incorrect.')],
  [305, badPdu('invalid text mode parameter', 'The modem found the message incorrect, or is in text mode.')],
  [310, sim('(U)SIM not inserted', 'There is no SIM.', 'Insert a SIM, or clean its contacts and insert it again.')],
  [311, sim('(U)SIM PIN required', 'The SIM requires its PIN.', 'Configure the PIN of this SIM.')],
  [
    312,
    sim(
      'PH-(U)SIM PIN required',
      'The modem is locked to another SIM.',
      'Unlock the modem with the code from its seller.',
    ),
  ],
  [
    313,
    sim(
      '(U)SIM failure',
      'The SIM does not answer correctly.',
      'Insert the SIM again; if the problem persists, replace it.',
    ),
  ],
  [
    314,
    {
      standard: '(U)SIM busy',
      class: 'temporary',
      words: 'The SIM is busy, which is normal for some seconds after a start.',
      advice: waitAndRetry,
      retryAfterMs: 2 * second,
    },
  ],
  [
    315,
    sim(
      '(U)SIM wrong',
      'The modem does not accept this SIM.',
      'Use a SIM of the operator that the modem is locked to.',
    ),
  ],
  [
    316,
    sim(
      '(U)SIM PUK required',
      'The SIM is locked and requires its PUK.',
      'Unlock the SIM in a phone with the PUK from the operator.',
    ),
  ],
  [
    317,
    sim(
      '(U)SIM PIN2 required',
      'The SIM requires PIN2.',
      'Fixed dialling is active on the SIM and restricts it. Put the SIM into a phone and turn off fixed dialling.',
    ),
  ],
  [
    318,
    sim('(U)SIM PUK2 required', 'The SIM requires PUK2.', 'Unlock the SIM in a phone with the PUK2 from the operator.'),
  ],
  [320, storage('memory failure', 'The message storage failed.')],
  [321, storage('invalid memory index', 'The message storage has no slot with this index.')],
  [322, storage('memory full', 'The message storage is full.')],
  [
    330,
    sim(
      'SMSC address unknown',
      'The number of the service centre is not set.',
      "Set the operator's service centre number.",
    ),
  ],
  [
    331,
    {
      standard: 'no network service',
      class: 'registration',
      words: 'The modem has no network.',
      advice: 'The command is retried when the modem is registered. Check the antenna and the signal.',
      retryAfterMs: 30 * second,
    },
  ],
  [
    332,
    {
      standard: 'network timeout',
      class: 'unknown',
      words: 'The network did not answer in time.',
      advice: awaitEvidence,
    },
  ],
  [
    340,
    {
      standard: 'no +CNMA acknowledgement expected',
      class: 'harmless',
      words: 'The modem did not expect an acknowledgement.',
      advice: 'No action needed.',
    },
  ],
  [
    500,
    {
      standard: 'unknown error',
      class: 'unknown',
      words: 'The modem gives no reason.',
      advice: awaitEvidence,
      alarm: 'rate',
    },
  ],

  // Vendor codes, in the numbering of Quectel, SIMCom and Siemens
  [
    512,
    later('MM establishment failure', 'No connection: a message or call was arriving at the same time.', 5 * second),
  ],
  [
    513,
    {
      standard: 'lower layer failure',
      class: 'unknown',
      words: 'The radio link broke while sending.',
      advice: awaitEvidence,
    },
  ],
  [514, later('congestion', 'The cell is congested.', 10 * second)],
  [515, later('service initialising', 'The modem is still starting its SMS service.', 5 * second)],
])

function storage(standard: string, words: string): ErrorMeaning {
  return { standard, class: 'storage', words, advice: freeStorage, retryAfterMs: 10 * second }
}

function range(first: number, last: number, meaning: () => ErrorMeaning): [number, ErrorMeaning][] {
  return Array.from({ length: last - first + 1 }, (_, i) => [first + i, meaning()])
}
