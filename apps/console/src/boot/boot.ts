// The first script of the console, small enough for a slow connection. It requests the session while the program loads,
// and shows the sign-in form until the program has arrived.
import '../theme/mantine.css'
import '../theme/tokens.css'
import '../theme/page.css'
import { requestSession } from '../api/request/early-session.ts'
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
let isLoading = true
void loadProgram()
void showFormWithoutSession()

async function loadProgram(): Promise<void> {
  try {
    // Uses `await`, because with `import().then()`, Vite would not report a style sheet that cannot be loaded.
    await import('../main.tsx')
  } catch (error) {
    reportError(error)
    removeEarlySignIn()
    if (notLoaded) notLoaded.hidden = false
  }
  isLoading = false
}

/** A function and not a top-level `await`, because the program imports this script and would wait for the answer. */
async function showFormWithoutSession(): Promise<void> {
  const { status } = await requestSession().catch(() => ({ status: 0 }))
  if (status === 401 && isLoading) showEarlySignIn(SIGN_IN_WORDS[language])
}

/** Returns the scheme that Mantine will choose: the choice of the user, otherwise that of the system. */
function colorScheme(): 'dark' | 'light' {
  const chosen = localStorage.getItem('mantine-color-scheme-value')
  if (chosen === 'dark' || chosen === 'light') return chosen
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}
