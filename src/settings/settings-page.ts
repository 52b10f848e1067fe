import { type Setting, settings } from './settings.ts';

/** The text of docs/settings.md. */
export function settingsPage(): string {
  const rows = Object.entries(settings).map(([name, setting]) => {
    const allowed = setting.kind === 'choice' ? ` One of: ${setting.values.join(', ')}.` : '';
    return `| \`${name}\` | ${defaultOf(setting)} | ${setting.sentence}${allowed} |`;
  });
  return [
    '# Settings',
    '',
    'Set these as environment variables or in a `.env` file in the project folder. `siann doctor --settings` makes this page from the',
    'table in `src/settings/settings.ts`.',
    '',
    'Spans are sent to an OpenTelemetry collector when `OTEL_EXPORTER_OTLP_ENDPOINT` is set.',
    '',
    '| setting | default | |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function defaultOf(setting: Setting): string {
  const fallback = setting.shownDefault ?? ('default' in setting ? setting.default : undefined);
  const shown = Array.isArray(fallback) ? fallback.join(',') : fallback;
  return shown === undefined || shown === '' ? 'none' : `\`${shown}\``;
}
