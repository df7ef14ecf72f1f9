/** A USSD service such as `*100#`: a text, and for each answer to this text the menu that follows. */
export interface UssdMenu {
  readonly text: string
  /** The choices. If there are none, the dialogue ends after the text. */
  readonly choices?: Readonly<Record<string, UssdMenu>>
  /** The menu for any other answer; default: `Invalid choice`, which ends the dialogue. */
  readonly otherwise?: UssdMenu
}

export type MenuReply =
  | { readonly kind: 'text'; readonly text: string; readonly expectsAnswer: boolean }
  | { readonly kind: 'ended' }
  | { readonly kind: 'not-supported' }
  | { readonly kind: 'timed-out' }

/** One USSD dialogue with its position in the menu. */
export class UssdDialogue {
  #at: UssdMenu

  constructor(start: UssdMenu) {
    this.#at = start
  }

  get reply(): MenuReply {
    const { text, choices, otherwise } = this.#at
    return { kind: 'text', text, expectsAnswer: choices !== undefined || otherwise !== undefined }
  }

  answer(text: string): MenuReply {
    const { choices, otherwise } = this.#at
    const choice = text.trim()
    this.#at = (choices && Object.hasOwn(choices, choice) ? choices[choice] : otherwise) ?? invalidChoice
    return this.reply
  }
}

const invalidChoice: UssdMenu = { text: 'Invalid choice' }

/** The services of a new network. */
export const usualUssdMenus: Readonly<Record<string, UssdMenu>> = {
  '*100#': { text: 'Your balance is 12.34 EUR. Valid until 31.12.2030.' },
  '*101#': {
    text: 'Welcome\n1 Balance\n2 Bundles\n0 Exit',
    choices: {
      '0': { text: 'Goodbye' },
      '1': { text: 'Balance: 12.34 EUR' },
      '2': {
        text: 'Bundles\n1 Day 1 GB\n2 Month 10 GB',
        choices: { '1': { text: 'Day bundle is active' }, '2': { text: 'Month bundle is active' } },
      },
    },
  },
  '*102#': { text: 'Ваш баланс: 123,45 руб.' },
}
