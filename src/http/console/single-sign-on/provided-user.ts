import { type ConsoleRole, consoleRoles } from '../../../../wire/console.ts';
import type { ProvidedUser } from '../../../accounts/sign-in/sign-in.ts';
import type { Claims } from './identity-provider.ts';

export type RoleRules = {
  /** The claim that is looked at, such as `groups`. */
  claim: string;
  /** The role for each value of the claim. */
  roles: Readonly<Record<string, ConsoleRole>>;
  /** For those whose claim has none of these values. Undefined lets them not in. */
  defaultRole: ConsoleRole | undefined;
};

const longestName = 80;

/** The user that the provider vouches for; undefined when the rules give it no role. */
export function providedUser(claims: Claims, rules: RoleRules): ProvidedUser | undefined {
  const role = roleOf(claims[rules.claim], rules);
  return role && { subject: `${claims.iss} ${claims.sub}`, name: nameOf(claims), role };
}

/** The role that may do most, among those that the claim gives. */
function roleOf(claim: unknown, { roles, defaultRole }: RoleRules): ConsoleRole | undefined {
  const values = (Array.isArray(claim) ? claim : [claim]).filter((value) => typeof value === 'string');
  const given = values.flatMap((value) => (Object.hasOwn(roles, value) ? [roles[value]!] : []));
  return consoleRoles.filter((role) => given.includes(role)).at(-1) ?? defaultRole;
}

/** For people to read: who somebody is, is decided by issuer and subject. */
function nameOf({ preferred_username, email, name, sub }: Claims): string {
  const texts = [preferred_username, email, name, sub].filter((text) => typeof text === 'string');
  const readable = texts.map((text) => text.replace(/\p{Cc}/gu, '').trim()).find((text) => text !== '');
  return (readable ?? 'unnamed').slice(0, longestName);
}
