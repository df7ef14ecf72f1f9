import { optionalText, type TextKey, t } from '../../words/text.ts'

export interface FieldProblem {
  readonly path: string
  readonly message: string
}

/** The problem of a member as a sentence: “hello” isn’t a valid phone number. */
export function problemText({ path, message }: FieldProblem): string {
  for (const [pattern, key] of sentences) {
    const found = pattern.exec(message)
    if (found) return t(key, { field: fieldName(path), value: unquoted(found[1] ?? ''), other: found[2] ?? '' })
  }
  // A newer relay may describe problems that the catalogue does not have yet.
  return t('problem.ofField', { field: fieldName(path), message })
}

/** Returns the name of the field that shows the member, for example "To" for `phoneNumbers[0]`. */
function fieldName(path: string): string {
  const member =
    path
      .replace(/\[\d+\]/g, '')
      .split('.')
      .at(-1) ?? path
  return optionalText(`field.${member}`) ?? optionalText(`setting.${path}`) ?? path
}

function unquoted(value: string): string {
  return value.replace(/^"|"$/g, '')
}

/** The problems that the API describes, without the path of the member at the beginning. */
const sentences: readonly (readonly [RegExp, TextKey])[] = [
  [/^("[\s\S]*") is not a valid phone number/, 'problem.phoneNumber'],
  [/^("[\s\S]*") has no valid country code/, 'problem.countryCode'],
  [/^("[\s\S]*") is too short for a phone number/, 'problem.numberTooShort'],
  [/^("[\s\S]*") is too long for a phone number/, 'problem.numberTooLong'],
  [/^("[\s\S]*") (?:is not in the numbering plan|has a length that is not valid)/, 'problem.numberingPlan'],
  [/^("[\s\S]*") is neither a number/, 'problem.numberOrPrefix'],
  [/^cannot be combined with the scope keys:manage/, 'problem.limitsWithManage'],
  [/^cannot be combined with the scope (\S+), which could avoid/, 'problem.approvalWithScope'],
  [/^is the same number as /, 'problem.sameNumber'],
  [/^(\d+) is more than messages\.send_interval_max \((\d+)\)/, 'problem.pauseOrder'],
  [/^is required with messages\.limit_period/, 'problem.limitWithoutValue'],
  [/^is required while messages\.work_hours_enabled/, 'problem.workHoursMissing'],
  [/^must differ from messages\.work_hours_start/, 'problem.workHoursEqual'],
  [/^is required with encryption\.inbox_hide_sender/, 'problem.hiddenSenderWithoutKey'],
  [/^is required with encryption\.inbox_key_version/, 'problem.versionWithoutKey'],
  [/^is required with encryption\.inbox_public_key/, 'problem.keyWithoutVersion'],
  [/^must be an RSA public key/, 'problem.rsaKey'],
  [/^is the version of the present key/, 'problem.reusedVersion'],
  [/^cannot be set, because the phone ("[\s\S]*") reports the numbers of senders/, 'problem.phoneNamesSenders'],
  [/^cannot be set, because the agent of ("[\s\S]*") reports the numbers of senders/, 'problem.oldAgentNamesSenders'],
  [/^must be in the future/, 'problem.future'],
  [/^must be at least (\S+)$/, 'problem.atLeast'],
  [/^must be at most (\S+)$/, 'problem.atMost'],
  [/^must have at least (\d+) characters/, 'problem.tooShort'],
  [/^must have at most (\d+) characters/, 'problem.tooLong'],
  [/^must be an integer/, 'problem.integer'],
  [/^must not contain control/, 'problem.controlCharacters'],
  [/^must have four to eight digits/, 'problem.pin'],
  [/^is not allowed: a password needs at least (\d+) characters/, 'problem.tooShort'],
  [/^is not allowed: a password must have at most (\d+) bytes/, 'problem.passwordTooLong'],
  [/^is not allowed: a password must not contain control/, 'problem.controlCharacters'],
  [/^is not allowed: a password must not be the user name/, 'problem.passwordIsUsername'],
  [/^is not allowed: a password needs more than two/, 'problem.passwordTooSimple'],
  [/^(?:is not a valid URL|must not contain spaces)/, 'problem.url'],
  [/^must begin with https:\/\/: only the operator/, 'problem.httpsOnly'],
  [/^must begin with https:\/\//, 'problem.https'],
  [/^must not contain credentials/, 'problem.urlCredentials'],
  [/^is the address of this relay/, 'problem.ownUrl'],
  [/^uses port (\d+), which is reserved/, 'problem.urlPort'],
  [/^is not public: only the operator can allow (\S+)/, 'attemptError.notPublic'],
  [/^has the wrong format/, 'problem.format'],
  [/^(?:is required|must not be empty|must have at least 1 item)/, 'problem.required'],
  [/^needs (\d+) parts, but at most (\d+) are allowed/, 'problem.tooManyParts'],
]

/** A problem of the whole request. Returns the text of the API if the catalogue does not have the problem. */
export function wholeProblemText(message: string): string {
  for (const [pattern, key] of wholeProblems) {
    const found = pattern.exec(message)
    if (found) return t(key, { value: found[1] ?? '' })
  }
  return message
}

const wholeProblems: readonly (readonly [RegExp, TextKey])[] = [
  [/^wrong user name or password/, 'problem.credentials'],
  [/^currentPassword is not the password/, 'problem.currentPassword'],
  [/^too many .*; try again in (\d+) s$/, 'problem.tooManyTries'],
]
