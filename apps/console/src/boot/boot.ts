// The first script of the console, small enough for a slow line. It requests the session and loads the program at the same time,
// and shows the form for signing in until the program has arrived.
import '../theme/mantine.css'
import '../theme/tokens.css'
import '../theme/page.css'
import { requestSession } from '../api/early-session.ts'
import { chooseLocale, type Language, storedLanguage } from '../words/language.ts'
import { type EarlyWords, removeEarlySignIn, showEarlySignIn } from './early-sign-in.ts'

/** Texts by language, from the catalogues (vite.config.ts). */
declare const SIGN_IN_WORDS: Readonly<Record<Language, EarlyWords>>

const page = document.documentElement
const { language, direction } = chooseLocale(storedLanguage(), navigator.languages)
page.lang = language
page.dir = direction
page.dataset['mantineColorScheme'] = colorScheme()

const notLoaded = document.querySelector<HTMLElement>('.not-loaded')
if (notLoaded) notLoaded.hidden = true
let hasProgram = false
import('../main.tsx').then(
  () => {
    hasProgram = true
  },
  () => {
    removeEarlySignIn()
    if (notLoaded) notLoaded.hidden = false
  },
)
// Not awaited here: the program shares modules with this one, so it would start only after the answer.
requestSession().then(
  ({ status }) => {
    if (status === 401 && !hasProgram) showEarlySignIn(SIGN_IN_WORDS[language])
  },
  () => undefined, // the program requests the session again, and reports the failure
)

/** As Mantine chooses it, from the choice of the user or of the system. */
function colorScheme(): 'dark' | 'light' {
  const chosen = localStorage.getItem('mantine-color-scheme-value')
  if (chosen === 'dark' || chosen === 'light') return chosen
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}
