import { IntlMessageFormat } from 'intl-messageformat'
import { createElement, Fragment, type ReactNode } from 'react'
import en from './en.json' with { type: 'json' }
import { chooseLocale, type Language, type Locale } from './language.ts'

export type TextKey = keyof typeof en
type Catalogue = Readonly<Record<TextKey, string>>
type Values = Readonly<Record<string, string | number | undefined>>
type RichValues = Readonly<Record<string, string | number | undefined | ReactNode | ((inner: ReactNode) => ReactNode)>>

// The language does not change while a page is loaded, because another choice reloads the page. Texts must be read
// inside functions, because modules are evaluated before the catalogue is loaded.
const english: Catalogue = { ...en }
let current: { readonly locale: Locale; readonly catalogue: Catalogue } = {
  locale: chooseLocale(null, ['en']),
  catalogue: english,
}
const formats = new Map<string, Pick<IntlMessageFormat, 'format'>>()

export function locale(): Locale {
  return current.locale
}

export async function loadLocale(locale: Locale): Promise<void> {
  current = { locale, catalogue: await catalogues[locale.language]() }
  formats.clear()
}

/** Adds English texts that are loaded with the pages that show them (`later-words.ts`). */
export function addEnglish(texts: Readonly<Record<string, string>>): void {
  Object.assign(english, texts)
}

/** Returns a text of the catalogue. Its numbers, plurals and dates follow the locale. */
export function t(key: TextKey, values: Values = {}): string {
  const given = current.locale.direction === 'rtl' ? mapValues(values, isolate) : values
  return String(formatOf(key).format(given))
}

/** Returns a text that contains elements. `<b>`, `<code>` and `<kbd>` need no value. */
export function rich(key: TextKey, values: RichValues = {}): ReactNode {
  const parts = formatOf(key).format<ReactNode>({ ...elements, ...mapValues(values, withKeys) } as never)
  return Array.isArray(parts) ? createElement(Fragment, null, ...parts) : parts
}

/** Returns the text of a key that is computed from data, or undefined for values that only a newer server sends. */
export function optionalText(key: string, values?: Values): string | undefined {
  return key in current.catalogue ? t(key as TextKey, values) : undefined
}

const elements = Object.fromEntries(
  ['b', 'code', 'kbd'].map((name) => [name, (inner: ReactNode[]) => createElement(name, null, ...inner)]),
)

function joined(parts: readonly ReactNode[]): ReactNode {
  return createElement(Fragment, null, ...parts)
}

function withKeys(value: RichValues[string]): unknown {
  return typeof value === 'function' ? (inner: ReactNode[]) => value(joined(inner)) : value
}

/** Keeps a phone number or a name together within right-to-left text (Unicode first strong isolate). */
export function isolate<Value>(value: Value): Value | string {
  return typeof value === 'string' ? `\u2068${value}\u2069` : value
}

/** Keeps words or signed numbers together within right-to-left text. */
export function inOnePiece(text: string): string {
  return current.locale.direction === 'rtl' ? isolate(text) : text
}

/** The direction of a field: of its text, or of the page while it is empty and shows a placeholder. */
export function directionOf(text: string): 'auto' | undefined {
  return text === '' ? undefined : 'auto'
}

function mapValues<In, Out>(values: Readonly<Record<string, In>>, change: (value: In) => Out): Record<string, Out> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]))
}

/**
 * A text without values needs no format. The build parses all texts with values and removes the parser
 * (vite.config.ts).
 */
function formatOf(key: TextKey): Pick<IntlMessageFormat, 'format'> {
  const known = formats.get(key)
  if (known !== undefined) return known
  const text = current.catalogue[key]
  const isPlain = typeof text === 'string' && !/[{<']/.test(text)
  const format = isPlain ? { format: () => text } : new IntlMessageFormat(text, current.locale.tag)
  formats.set(key, format)
  return format
}

const catalogues: Readonly<Record<Language, () => Catalogue | Promise<Catalogue>>> = {
  en: () => english,
  de: async () => (await import('./de.json', { with: { type: 'json' } })).default,
  es: async () => (await import('./es.json', { with: { type: 'json' } })).default,
  ar: async () => (await import('./ar.json', { with: { type: 'json' } })).default,
}
