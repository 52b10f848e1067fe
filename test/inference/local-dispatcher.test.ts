import { createLocalDispatcher } from '../../src/inference/local-dispatcher.ts';
import { dispatcherContract } from '../contract/dispatcher-contract.ts';

dispatcherContract('the local dispatcher', (options) => createLocalDispatcher({ ...options, settings: {} }));
