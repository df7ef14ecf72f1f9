import { byCode, type ErrorMeaning, of, pinAdvice, sim } from './error-meaning.ts'

const second = 1000

const resetModem = 'If the problem persists, reset the modem.'
const mayBeDone = 'The command may have been carried out.'
const checkNumber = 'Check the number.'
const unlockByHand = 'Unlock the SIM in a phone with the code from the operator.'
const unlockModem = 'The modem is locked to one operator: use a SIM of that operator, or have it unlocked.'
const reinsert = 'Insert the SIM again; if the problem persists, replace it.'
const askOperator = 'Ask the operator whether this SIM and this modem may use the network here.'
const notOffered = 'No action needed: the modem works without this command.'
const reportTrace = 'Report this error with a trace.'
const waitAndRetry = 'No action needed: retried automatically.'

/** +CME ERROR: 27.007 §9.2. */
export const cmeErrors: ReadonlyMap<number, ErrorMeaning> = byCode({
  0: of('temporary', 'phone failure', 'Internal error of the modem.', resetModem, 10 * second),
  1: of('temporary', 'no connection to phone', 'The modem cannot reach its radio unit.', resetModem, 10 * second),
  2: of(
    'temporary',
    'phone-adaptor link reserved',
    'Another program uses the modem.',
    'Stop other programs on the same modem.',
    10 * second,
  ),
  3: of(
    'registration',
    'operation not allowed',
    'Not allowed at present.',
    'Check registration and the state of the SIM.',
    10 * second,
  ),
  4: of('unsupported', 'operation not supported', 'This modem does not support the operation.', notOffered),
  5: sim(
    'PH-SIM PIN required',
    'The modem is locked to another SIM.',
    'Unlock the modem with the code from its seller.',
  ),
  6: sim('PH-FSIM PIN required', 'The modem is locked to its first SIM.', 'Use that SIM, or have the modem unlocked.'),
  7: sim('PH-FSIM PUK required', 'The modem is locked to its first SIM.', 'Use that SIM, or have the modem unlocked.'),
  10: sim(
    'SIM not inserted',
    'There is no SIM.',
    'Insert a SIM. If one is already inserted, clean its metal contacts and insert it again.',
  ),
  11: sim('SIM PIN required', 'The SIM requires its PIN.', pinAdvice),
  12: sim('SIM PUK required', 'The SIM is locked and requires its PUK.', unlockByHand),
  13: sim('SIM failure', 'The SIM does not answer correctly.', reinsert),
  14: of(
    'temporary',
    'SIM busy',
    'The SIM is busy, which is normal for some seconds after a start.',
    waitAndRetry,
    2 * second,
  ),
  15: sim('SIM wrong', 'The modem does not accept this SIM.', unlockModem),
  16: sim('incorrect password', 'The PIN is wrong.', 'Correct the PIN; the SIM locks after three wrong attempts.'),
  17: sim(
    'SIM PIN2 required',
    'The SIM requires PIN2.',
    'Fixed dialling is active on the SIM and restricts it. Put the SIM into a phone and turn off fixed dialling.',
  ),
  18: sim('SIM PUK2 required', 'The SIM requires PUK2.', unlockByHand),
  20: of('storage', 'memory full', 'The memory is full.', 'Stored messages are read and deleted.', 10 * second),
  21: of('storage', 'invalid index', 'The memory has no slot with this index.', 'The memory is listed again.'),
  22: of('storage', 'not found', 'No such entry.', 'No action needed.'),
  23: of('storage', 'memory failure', 'The memory failed.', reinsert, 10 * second),
  24: of('permanent', 'text string too long', 'The text is too long for the modem.', reportTrace),
  25: of(
    'permanent',
    'invalid characters in text string',
    'The modem does not accept a character of the text.',
    reportTrace,
  ),
  26: of('permanent', 'dial string too long', 'The number is too long.', checkNumber),
  27: of('permanent', 'invalid characters in dial string', 'The number contains invalid characters.', checkNumber),
  30: of('registration', 'no network service', 'The modem has no network.', 'Check antenna and signal.', 30 * second),
  31: of('unknown', 'network timeout', 'The network did not answer in time.', mayBeDone),
  32: of(
    'registration',
    'network not allowed - emergency calls only',
    'The network allows emergency calls only.',
    askOperator,
    60 * second,
  ),
  40: sim('network personalization PIN required', 'The modem is locked to a network.', unlockModem),
  41: sim('network personalization PUK required', 'The modem is locked to a network.', unlockModem),
  42: sim('network subset personalization PIN required', 'The modem is locked to a part of a network.', unlockModem),
  43: sim('network subset personalization PUK required', 'The modem is locked to a part of a network.', unlockModem),
  44: sim('service provider personalization PIN required', 'The modem is locked to a provider.', unlockModem),
  45: sim('service provider personalization PUK required', 'The modem is locked to a provider.', unlockModem),
  46: sim('corporate personalization PIN required', 'The modem is locked to a company.', unlockModem),
  47: sim('corporate personalization PUK required', 'The modem is locked to a company.', unlockModem),
  48: sim('hidden key required', 'The phone requires its key for hidden entries.', unlockByHand),
  49: of(
    'unsupported',
    'EAP method not supported',
    'This modem does not support the authentication method.',
    notOffered,
  ),
  50: of('permanent', 'incorrect parameters', 'The modem does not accept these parameters.', reportTrace),
  51: of(
    'temporary',
    'command implemented but currently disabled',
    'The modem does not allow the command at present.',
    waitAndRetry,
    10 * second,
  ),
  52: of('unknown', 'command aborted by user', 'The command was aborted.', mayBeDone),
  53: of(
    'registration',
    'not attached to network due to MT functionality restrictions',
    'The modem is not allowed to use the network.',
    askOperator,
    60 * second,
  ),
  54: of(
    'registration',
    'modem not allowed - MT restricted to emergency calls only',
    'The modem is allowed to make emergency calls only.',
    askOperator,
    60 * second,
  ),
  55: of(
    'permanent',
    'operation not allowed because of MT functionality restrictions',
    'The functions of the modem are restricted, so it refuses this operation.',
    askOperator,
  ),
  56: sim(
    'fixed dial number only allowed - called number is not a fixed dial number',
    'The SIM allows fixed numbers only.',
    'Put the SIM into a phone and turn off fixed dialling.',
  ),
  57: of(
    'registration',
    'temporarily out of service due to other MT usage',
    'Another SIM of this modem is in use.',
    waitAndRetry,
    10 * second,
  ),
  58: of('unsupported', 'language/alphabet not supported', 'This modem does not support the language.', notOffered),
  59: of('permanent', 'unexpected data value', 'The modem did not expect this value.', reportTrace),
  60: of('temporary', 'system failure', 'Internal error of the modem.', resetModem, 10 * second),
  61: of('permanent', 'data missing', 'A value is missing.', reportTrace),
  62: sim('call barred', 'Calls are barred for this SIM.', askOperator),
  63: of(
    'temporary',
    'message waiting indication subscription failure',
    'The network refused the subscription.',
    waitAndRetry,
    60 * second,
  ),
  100: of('unknown', 'unknown', 'The modem gives no reason.', mayBeDone),
  103: sim('illegal MS', 'The network refuses this SIM.', askOperator),
  106: sim('illegal ME', 'The network refuses this modem.', askOperator),
  107: of('registration', 'GPRS services not allowed', 'The SIM is not allowed to use packet data.', askOperator),
  111: of('registration', 'PLMN not allowed', 'This SIM is not allowed in this network.', askOperator),
  112: of('registration', 'location area not allowed', 'This SIM is not allowed in this network area.', askOperator),
  113: of(
    'registration',
    'roaming not allowed in this location area',
    'This SIM is not allowed to roam here.',
    askOperator,
  ),
  132: of('unsupported', 'service option not supported', 'The network does not support the service.', notOffered),
  133: of(
    'permanent',
    'requested service option not subscribed',
    'The service is not part of the subscription.',
    askOperator,
  ),
  134: of(
    'temporary',
    'service option temporarily out of order',
    'The network does not support the service at present.',
    waitAndRetry,
    60 * second,
  ),
  148: of('unknown', 'unspecified GPRS error', 'The network refused without a reason.', mayBeDone),
  149: of('permanent', 'PDP authentication failure', 'The network did not accept name or password.', askOperator),
  150: of('permanent', 'invalid mobile class', 'The modem does not accept this mobile class.', reportTrace),
  // Vendor codes
  262: sim('SIM blocked', 'The SIM is permanently blocked.', 'Replace the SIM.'),
  515: of(
    'temporary',
    'please wait, init or command processing in progress',
    'The modem is busy.',
    waitAndRetry,
    2 * second,
  ),
})
