/** The languages of the console, each by its own name. The catalogue of each is `<code>.json` beside this file. */
export const languages = [
  { code: 'en', name: 'English' },
  { code: 'de', name: 'Deutsch' },
  { code: 'es', name: 'Español' },
  { code: 'ar', name: 'العربية' },
] as const

export type Language = (typeof languages)[number]['code']

const storageKey = 'smsgw-language'

export interface Locale {
  readonly language: Language
  /** For dates, numbers and plurals: the browser's regional variant of the language, if it has one. */
  readonly tag: string
  readonly direction: 'ltr' | 'rtl'
}

/** Returns the stored choice; otherwise the first language of the browser that has a catalogue; otherwise English. */
export function chooseLocale(stored: string | null, preferred: readonly string[]): Locale {
  const language = languageOf(stored ?? '') ?? firstOf(preferred.map(languageOf)) ?? 'en'
  const regional = preferred.find((tag) => languageOf(tag) === language && isSupported(tag)) ?? language
  return {
    language,
    // Uses Latin digits and Gregorian dates, because phone numbers and log lines also have them.
    tag: language === 'ar' ? `${new Intl.Locale(regional).baseName}-u-ca-gregory-nu-latn` : regional,
    direction: language === 'ar' ? 'rtl' : 'ltr',
  }
}

/** Returns the stored language. `null` means the language of the browser. */
export function storedLanguage(): Language | null {
  return languageOf(localStorage.getItem(storageKey) ?? '') ?? null
}

export function storeLanguage(language: Language | null): void {
  if (language === null) localStorage.removeItem(storageKey)
  else localStorage.setItem(storageKey, language)
}

function languageOf(tag: string): Language | undefined {
  const [base] = tag.toLowerCase().split('-')
  return languages.find(({ code }) => code === base)?.code
}

function firstOf<Value>(values: readonly (Value | undefined)[]): Value | undefined {
  return values.find((value) => value !== undefined)
}

function isSupported(tag: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(tag).length > 0
  } catch {
    return false
  }
}
