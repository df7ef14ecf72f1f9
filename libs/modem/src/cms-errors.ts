import type { ErrorMeaning } from './command-error.ts'

const second = 1000
const minute = 60 * second

const checkNumber = 'Check the number, country code included; do not send it again as it is.'
const askOperator = 'Ask the operator of the SIM whether it may send SMS, and whether it has credit.'
const reportPdu =
  'Sending it again does not help. Report it with a trace: the message was built in a way this network does not take.'
const waitAndRetry = 'Nothing to do: it is tried again after a pause.'
const freeStorage = 'The messages stored on SIM and modem are read and deleted, then it is tried again.'
const lookAtModem = 'Tried again after a pause. If it goes on, reset the modem and look at its power supply.'
const awaitEvidence = 'It may have been sent. It is not sent again by itself; a status report decides.'

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

/** +CMS ERROR: causes of 24.011 Annex E-2, TP failure causes of 23.040 §9.2.3.22, 27.005 §3.2.5, and vendors' own. */
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
        'Check the credit of the SIM and the text. If it happens often, pause this SIM before the operator blocks it.',
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
      words: 'The network does not offer what was asked. Often the service centre number on the SIM is wrong.',
      advice: "Compare the service centre number with the operator's, then check the number of the recipient.",
      alarm: 'rate',
    },
  ],
  [81, badPdu('invalid short message transfer reference value', 'The network did not recognise the transfer.')],
  [95, badPdu('semantically incorrect message', 'The network found the message incorrect.')],
  [96, badPdu('invalid mandatory information', 'The network found the message incorrect.')],
  [97, badPdu('message type non-existent or not implemented', 'The network does not know this type of message.')],
  [98, badPdu('message not compatible with short message protocol state', 'The network did not expect this message.')],
  [
    99,
    badPdu('information element non-existent or not implemented', 'The network does not know a part of the message.'),
  ],
  [111, badPdu('protocol error, unspecified', 'Network and modem did not understand each other.')],
  [
    127,
    {
      standard: 'interworking, unspecified',
      class: 'permanent',
      words: 'A network on the way refused the message without a reason.',
      advice: 'Check the number; this operator may not reach the network of the recipient.',
      alarm: 'rate',
    },
  ],

  // 23.040 §9.2.3.22: TP-FCS
  [128, badPdu('telematic interworking not supported', 'The service centre does not offer this kind of delivery.')],
  [129, badPdu('short message type 0 not supported', 'The service centre does not take silent messages.')],
  [130, badPdu('cannot replace short message', 'The message to replace is not there any more.')],
  ...range(131, 142, () =>
    badPdu('reserved TP-PID error', 'The service centre does not take this protocol identifier.'),
  ),
  [143, badPdu('unspecified TP-PID error', 'The service centre does not take this protocol identifier.')],
  [144, badPdu('data coding scheme (alphabet) not supported', 'The service centre does not take this alphabet.')],
  [145, badPdu('message class not supported', 'The service centre does not take this message class.')],
  ...range(146, 158, () =>
    badPdu('reserved TP-DCS error', 'The service centre does not take this data coding scheme.'),
  ),
  [159, badPdu('unspecified TP-DCS error', 'The service centre does not take this data coding scheme.')],
  [160, badPdu('command cannot be actioned', 'The service centre cannot do what was commanded.')],
  [161, badPdu('command unsupported', 'The service centre does not know this command.')],
  ...range(162, 174, () => badPdu('reserved TP-Command error', 'The service centre refused the command.')),
  [175, badPdu('unspecified TP-Command error', 'The service centre refused the command.')],
  [176, badPdu('TPDU not supported', 'The service centre does not take this type of message.')],
  [192, later('SC busy', 'The service centre is busy.', minute)],
  [193, barredSim('no SC subscription', 'This SIM may not use this service centre.')],
  [194, later('SC system failure', 'The service centre has failed.', 5 * minute)],
  [195, badNumber('invalid SME address', 'The service centre does not take this number.')],
  [196, badNumber('destination SME barred', 'The recipient is barred.')],
  [
    197,
    {
      standard: 'SM rejected-duplicate SM',
      class: 'duplicate',
      words: 'The service centre holds this very message already.',
      advice: 'Nothing to do: it counts as sent.',
    },
  ],
  [198, badPdu('TP-VPF not supported', 'The service centre does not take this form of validity period.')],
  [199, badPdu('TP-VP not supported', 'The service centre does not take this validity period.')],
  [208, storage('(U)SIM SMS storage full', 'The message storage of the SIM is full.')],
  [209, storage('no SMS storage capability in (U)SIM', 'The SIM has no message storage.')],
  [
    210,
    {
      standard: 'error in MS',
      class: 'temporary',
      words: 'The modem failed inside.',
      advice: lookAtModem,
      retryAfterMs: 10 * second,
    },
  ],
  [211, storage('memory capacity exceeded', 'Memory for messages is full.')],
  [212, later('(U)SIM application toolkit busy', 'An application on the SIM is busy.', 5 * second)],
  [213, later('(U)SIM data download error', 'An application on the SIM did not take the message.', 10 * second)],
  ...range(224, 254, () => badPdu('value specific to an application', 'An application refused the message.')),
  [255, later('unspecified error cause', 'The service centre refused the message without a reason.', 5 * minute)],

  // 27.005 §3.2.5
  [
    300,
    {
      standard: 'ME failure',
      class: 'temporary',
      words: 'The modem failed inside.',
      advice: lookAtModem,
      retryAfterMs: 10 * second,
    },
  ],
  [
    301,
    {
      standard: 'SMS service of ME reserved',
      class: 'temporary',
      words: 'Something else is using the SMS service of the modem.',
      advice: 'Look for another program on the same modem. Tried again after a pause.',
      retryAfterMs: 10 * second,
    },
  ],
  [
    302,
    {
      standard: 'operation not allowed',
      class: 'registration',
      words: 'Not allowed now: usually the modem is not registered in a network, or the SIM wants its PIN.',
      advice: 'Check registration and the state of the SIM; it is tried again when both are well.',
      retryAfterMs: 10 * second,
    },
  ],
  [
    303,
    {
      standard: 'operation not supported',
      class: 'permanent',
      words: 'This modem does not support what was asked.',
      advice: 'Sending it again does not help; use another modem or a newer firmware.',
    },
  ],
  [304, badPdu('invalid PDU mode parameter', 'The modem found the message incorrect.')],
  [305, badPdu('invalid text mode parameter', 'The modem found the message incorrect, or is in text mode.')],
  [310, sim('(U)SIM not inserted', 'There is no SIM.', 'Insert a SIM, or clean its contacts and insert it again.')],
  [311, sim('(U)SIM PIN required', 'The SIM wants its PIN.', 'Configure the PIN of this SIM.')],
  [
    312,
    sim(
      'PH-(U)SIM PIN required',
      'The modem is locked to another SIM.',
      'Unlock the modem with the code of its seller.',
    ),
  ],
  [
    313,
    sim('(U)SIM failure', 'The SIM does not answer as it should.', 'Insert the SIM again; if it goes on, replace it.'),
  ],
  [
    314,
    {
      standard: '(U)SIM busy',
      class: 'temporary',
      words: 'The SIM is busy, as it is for some seconds after start.',
      advice: waitAndRetry,
      retryAfterMs: 2 * second,
    },
  ],
  [
    315,
    sim('(U)SIM wrong', 'The modem does not take this SIM.', 'Use a SIM of the operator that the modem is locked to.'),
  ],
  [
    316,
    sim(
      '(U)SIM PUK required',
      'The SIM is locked: it wants its PUK.',
      'Unlock it by hand with the PUK from the operator.',
    ),
  ],
  [
    317,
    sim(
      '(U)SIM PIN2 required',
      'The SIM wants PIN2.',
      'A restriction of the SIM is active (fixed dialling); lift it by hand.',
    ),
  ],
  [318, sim('(U)SIM PUK2 required', 'The SIM wants PUK2.', 'Unlock it by hand with PUK2 from the operator.')],
  [320, storage('memory failure', 'The message storage failed.')],
  [321, storage('invalid memory index', 'There is no such place in the message storage.')],
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
      advice: 'It is tried again when the modem is registered. Check antenna and signal.',
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
      words: 'The modem had not waited for an acknowledgement.',
      advice: 'Nothing to do.',
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

  // Vendors' own, as Quectel, SIMCom and Siemens number them
  [512, later('MM establishment failure', 'No connection: just now a message or call was coming in.', 5 * second)],
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
