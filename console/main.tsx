import { render } from 'preact';
import { App } from './app.tsx';
import { SpeechProvider } from './words/speech.tsx';

render(
  <SpeechProvider>
    <App />
  </SpeechProvider>,
  document.getElementById('console')!,
);
