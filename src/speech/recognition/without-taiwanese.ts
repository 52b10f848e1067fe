import { ServiceError } from '../../errors/service-error.ts';

export function withoutTaiwanese(): ServiceError {
  const message = 'This model does not know Taiwanese. Use the model small or base with SIANN_ADAPTER=own.';
  return new ServiceError('invalid_value', { param: 'language', message });
}
