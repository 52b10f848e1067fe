import { render } from 'preact';
import { App } from './app.tsx';
import { TranslationProvider } from './words/translation.tsx';

render(
  <TranslationProvider>
    <App />
  </TranslationProvider>,
  document.getElementById('console')!,
);
