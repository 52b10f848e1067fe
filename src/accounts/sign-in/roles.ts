import { type ConsoleRole, consoleRoles } from '../../../wire/console.ts';
import { ServiceError } from '../../errors/service-error.ts';

/** Throws invalid_value. */
export function checkedRole(role: string): ConsoleRole {
  const known = consoleRoles.find((each) => each === role);
  if (known) return known;
  throw new ServiceError('invalid_value', {
    param: 'role',
    message: `"${role}" is not a role. Roles: ${consoleRoles.join(', ')}.`,
  });
}

/** Whether somebody with this role may do what the other role may. A role that is not known may nothing. */
export function hasRole(role: ConsoleRole, wanted: ConsoleRole): boolean {
  const rank = consoleRoles.indexOf(role);
  return rank >= 0 && rank >= consoleRoles.indexOf(wanted);
}
