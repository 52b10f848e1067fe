import { useEffect, useState } from 'preact/hooks';
import { type ConsoleLanguage, useTranslation } from '../words/translation.tsx';
import { Choice } from './field.tsx';

type Theme = 'auto' | 'light' | 'dark';

/** The browser may store this, because it is neither a secret nor part of a transcript. */
const storageName = 'siann-theme';

/** The language and the look of the console. */
export function Preferences() {
  const { say, language, setLanguage } = useTranslation();
  const [theme, setTheme] = useState<Theme>(() => (localStorage.getItem(storageName) as Theme) ?? 'auto');
  useEffect(() => {
    localStorage.setItem(storageName, theme);
    if (theme === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  }, [theme]);

  return (
    <div class="preferences">
      <Choice<ConsoleLanguage>
        label={say('language')}
        value={language}
        onValue={setLanguage}
        options={[
          ['en', 'English'],
          ['zh-TW', '繁體中文'],
        ]}
      />
      <Choice<Theme>
        label={say('theme')}
        value={theme}
        onValue={setTheme}
        options={[
          ['auto', say('themeAuto')],
          ['light', say('themeLight')],
          ['dark', say('themeDark')],
        ]}
      />
    </div>
  );
}
