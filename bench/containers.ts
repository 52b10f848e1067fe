// `npm run bench:containers` (deploy/try.sh): whether the containers keep their promises while they are killed.

import { endProgress, showProgress } from '../evaluation/progress.ts';
import { openComposeProject } from './containers/compose-project.ts';
import { crashFigures } from './containers/crash-figures.ts';
import { runCrashes } from './containers/run-crashes.ts';
import { createExplain, onModel } from './figures/figure.ts';
import { readCommand } from './options.ts';
import { runChecks } from './run-checks.ts';

const { command, values } = readCommand({
  script: 'bench:containers',
  defaults: { only: 'kills', seed: '1', kills: '50', minutes: undefined, 'at-once': '4', verbose: false },
  checks: { each: [], kills: ['kills', 'minutes'] },
});
const isEach = values.only === 'each';
const explain = createExplain(values.verbose || isEach);

await runChecks(command, [isEach ? 'each' : 'kills'], async () => {
  const result = await runCrashes({
    project: await openComposeProject(),
    kills: isEach ? 'each' : Number(values.kills),
    ...(values.minutes !== undefined && { withinMinutes: Number(values.minutes) }),
    seed: Number(values.seed),
    atOnce: Number(values['at-once']),
    explain,
    onProgress: (kills, requests) => showProgress(`${kills} kills, ${requests} requests`),
  });
  endProgress();
  return onModel(process.env.SIANN_MODEL ?? 'tiny', crashFigures(result, explain));
});
