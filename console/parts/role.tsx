import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { type ConsoleRole, consoleRoles } from '../../wire/console.ts';

const Role = createContext<ConsoleRole>('viewer');

export const RoleProvider = Role.Provider;

/** Whether the user may do what this role may. The service checks it again; the page only hides what would be refused. */
export function useMay(): (wanted: ConsoleRole) => boolean {
  const role = useContext(Role);
  return (wanted) => consoleRoles.indexOf(role) >= consoleRoles.indexOf(wanted);
}

/** Shown only to those who may use it. */
export function For({ atLeast, children }: { atLeast: ConsoleRole; children: ComponentChildren }) {
  return useMay()(atLeast) ? children : null;
}
