// Prepares a model for every kind of processor that an image may run on: node --import tsx prepare-models.ts FOLDER [MODEL]
import { arch } from 'node:os';
import { type ModelId, modelIds } from '../../src/model/catalogue.ts';
import { prepareModel } from '../../src/model/prepare-model.ts';

const [, , cacheFolder, model = 'small'] = process.argv;
if (!cacheFolder || !isModel(model)) {
  console.error(`Say where to, and which of ${modelIds.join(', ')}: prepare-models.ts FOLDER [MODEL]`);
  process.exit(2);
}

const kinds = arch() === 'x64' ? (['signed', 'unsigned'] as const) : (['signed'] as const);
for (const integers of kinds) {
  const onProgress = ({ step }: { step: string }) => console.log(`${model}, ${integers}: ${step}`);
  await prepareModel({ model, cacheFolder, integers, onProgress });
}

function isModel(name: string): name is ModelId {
  return modelIds.some((id) => id === name);
}
