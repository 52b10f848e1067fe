import type { Kysely } from 'kysely';
import type { ConsoleRole, ConsoleUser } from '../../../wire/console.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Counters } from '../../storage/counters.ts';
import type { Database } from '../../storage/database.ts';
import { createMemoryCounters } from '../../storage/memory-counters.ts';
import type { Tables } from '../../storage/tables.ts';
import { type Actor, addAuditEntry, type Change } from '../audit/audit-log.ts';
import { hashOf, randomText } from '../keys/api-key.ts';
import { checkedName } from '../projects/checked-name.ts';
import { endSessions, noPassword, userOf } from './console-users.ts';
import { createKnownDevices } from './known-devices.ts';
import { createLinks, type Link, type LinkRequest, unknownLink } from './links.ts';
import { hashPassword, isPassword } from './passwords.ts';
import { createSignInDelay } from './sign-in-delay.ts';

/** A session as its browser holds it: token and device are shown to nobody else and kept nowhere. */
export type NewSession = {
  token: string;
  user: ConsoleUser;
  /** The secret by which this browser is known when the user signs in again. */
  device: string;
};

/** Where somebody signs in from. */
export type Origin = {
  address?: string | undefined;
  /** The secret that the browser was given when somebody signed in before. */
  device?: string | undefined;
};

/** Somebody for whom the identity provider vouches. */
export type ProvidedUser = { subject: string; name: string; role: ConsoleRole };

/** Who is using the console. */
export interface SignIn {
  /** The secret of a link with which one person can choose a name and a password, once and within a day. */
  createLink(request?: LinkRequest): Promise<string>;
  /** Makes the user, or gives an old one a new password and ends its sessions. Throws not_found for a link that is used up. */
  useLink(link: string, user: { name: string; password: string }, from?: Origin): Promise<NewSession>;
  /** Always opens a new session, whatever the browser had before. Throws wrong_password or rate_limit_exceeded. */
  signIn(given: {
    name: string;
    password: string;
    address: string;
    device?: string | undefined;
  }): Promise<NewSession>;
  /** Makes the user at the first time, and gives it the role that the provider's answer means today. */
  signInProvided(user: ProvidedUser, from?: Origin): Promise<NewSession>;
  /** Ends all other sessions, and gives this browser a new one. Throws wrong_password. */
  changePassword(
    user: ConsoleUser,
    given: { current: string; password: string },
    from: { address: string; device?: string | undefined },
  ): Promise<NewSession>;
  /** Throws not_signed_in. */
  findUser(token: string | undefined): Promise<ConsoleUser>;
  signOut(token: string): Promise<void>;
  signOutEverywhere(user: Pick<ConsoleUser, 'id' | 'name'>, from?: Origin): Promise<void>;
}

type Options = {
  database: Database;
  counters?: Counters;
  clock?: { now(): number };
  wait?(milliseconds: number): Promise<unknown>;
};

const sessionLifetimeMs = 7 * 24 * 3600 * 1000;

export function createSignIn({ database, clock = Date, ...options }: Options): SignIn {
  const { queries } = database;
  const { counters = createMemoryCounters({ clock }), wait } = options;
  const slowed = createSignInDelay({ counters, ...(wait && { wait }) });
  const devices = createKnownDevices({ database, clock });
  const links = createLinks({ database, clock });
  const createdAt = () => new Date(clock.now()).toISOString();

  const findByName = (within: Kysely<Tables>, name: string) =>
    within.selectFrom('console_users').selectAll().where('name', '=', name).executeTakeFirst();
  const note = (
    within: Kysely<Tables>,
    user: Pick<ConsoleUser, 'id' | 'name'>,
    from: Origin,
    change: Change,
  ) =>
    addAuditEntry(within, {
      actor: actorOf(user, from.address),
      change: { ...change, target: user },
      nowMs: clock.now(),
    });

  const openSession = async (user: ConsoleUser, from: Origin): Promise<NewSession> => {
    const token = randomText(43);
    const now = clock.now();
    await queries.transaction().execute(async (transaction) => {
      await transaction.deleteFrom('sign_in_sessions').where('expires_at_ms', '<=', now).execute();
      await transaction
        .insertInto('sign_in_sessions')
        .values({
          hash: hashOf(token),
          user_id: user.id,
          created_at_ms: now,
          expires_at_ms: now + sessionLifetimeMs,
        })
        .execute();
      await note(transaction, user, from, { action: 'user.sign_in' });
    });
    return { token, user, device: await devices.remember(user.id, from.device) };
  };

  /** A link for one user, or of an owner's making, can give an old name a new password. Any other makes a new user. */
  const throwUnlessMeant = async (within: Kysely<Tables>, { role, userId }: Link, name: string) => {
    const old = await findByName(within, name);
    if (userId !== null && old?.id !== userId)
      throw new ServiceError('invalid_value', {
        param: 'name',
        message: 'This link gives one user a new password. Write the name of that user.',
      });
    if (userId === null && old && role !== 'owner')
      throw new ServiceError('invalid_value', {
        param: 'name',
        message: `There is a user named "${name}" already. Choose another name.`,
      });
    return old;
  };

  return {
    createLink: links.create,
    async useLink(link, given, from = {}) {
      const name = checkedName(given.name);
      // Hashing is dear: nobody gets it without a link. A link that is good is never refused for what others send.
      const found = await links.find(link);
      if (!found) {
        if (from.address !== undefined) await slowed.noteUnknownLink(from.address);
        throw unknownLink();
      }
      await throwUnlessMeant(queries, found, name);
      const password_hash = await slowed.hashing(() => hashPassword(given.password));
      const user = await queries.transaction().execute(async (transaction) => {
        await links.use(transaction, link);
        // Somebody may have taken the name meanwhile.
        const old = await throwUnlessMeant(transaction, found, name);
        const row = await transaction
          .insertInto('console_users')
          .values({
            id: `user_${randomText(16)}`,
            name,
            password_hash,
            created_at: createdAt(),
            role: found.role,
          })
          .onConflict((conflict) => conflict.column('name').doUpdateSet({ password_hash }))
          .returningAll()
          .executeTakeFirstOrThrow();
        await endSessions(transaction, row.id);
        const action = old ? 'user.password' : 'user.create';
        await note(transaction, row, from, { action, ...(!old && { details: { role: row.role } }) });
        return userOf(row);
      });
      await devices.forgetAll(user.id);
      return openSession(user, from);
    },
    async signIn({ name, password, ...from }) {
      const row = await findByName(queries, name.trim());
      const knownDevice = row && (await devices.find(row.id, from.device));
      const isRight = () => isPassword(password, hashIn(row));
      const right = await slowed.attempt({ name: name.trim(), address: from.address, knownDevice }, isRight);
      if (!right || !row) throw new ServiceError('wrong_password');
      return openSession(userOf(row), from);
    },
    async signInProvided({ subject, name, role }, from = {}) {
      const id = `user_${hashOf(subject).slice(0, 16)}`;
      const user = await queries.transaction().execute(async (transaction) => {
        const known = await transaction
          .selectFrom('console_users')
          .selectAll()
          .where('provider_subject', '=', subject)
          .executeTakeFirst();
        if (known) {
          if (known.role === role) return userOf(known);
          await transaction.updateTable('console_users').set({ role }).where('id', '=', known.id).execute();
          await endSessions(transaction, known.id);
          const details = { from: known.role, to: role };
          await note(transaction, known, from, { action: 'user.role', details });
          return userOf({ ...known, role });
        }
        // A name that somebody else has stays theirs.
        const taken = await findByName(transaction, name);
        const row = await transaction
          .insertInto('console_users')
          .values({
            id,
            name: taken ? `${name} (${id.slice(-6)})` : name,
            password_hash: noPassword,
            created_at: createdAt(),
            role,
            provider_subject: subject,
          })
          // The same person came through another node at the same moment.
          .onConflict((conflict) => conflict.column('id').doUpdateSet({ role }))
          .returningAll()
          .executeTakeFirstOrThrow();
        await note(transaction, row, from, { action: 'user.create', details: { role } });
        return userOf(row);
      });
      return openSession(user, from);
    },
    async changePassword(user, { current, password }, from) {
      const row = await findByName(queries, user.name);
      const knownDevice = await devices.find(user.id, from.device);
      const isRight = () => isPassword(current, hashIn(row));
      if (!(await slowed.attempt({ name: user.name, address: from.address, knownDevice }, isRight)))
        throw new ServiceError('wrong_password', { message: 'The present password is wrong.' });
      const password_hash = await slowed.hashing(() => hashPassword(password));
      await queries.transaction().execute(async (transaction) => {
        await transaction
          .updateTable('console_users')
          .set({ password_hash })
          .where('id', '=', user.id)
          .execute();
        await endSessions(transaction, user.id);
        await note(transaction, user, from, { action: 'user.password' });
      });
      await devices.forgetAll(user.id);
      return openSession({ ...user, hasPassword: true }, from);
    },
    async findUser(token) {
      if (token === undefined) throw new ServiceError('not_signed_in');
      const row = await queries
        .selectFrom('sign_in_sessions')
        .innerJoin('console_users', 'console_users.id', 'sign_in_sessions.user_id')
        .selectAll('console_users')
        .where('hash', '=', hashOf(token))
        .where('expires_at_ms', '>', clock.now())
        .executeTakeFirst();
      if (!row) throw new ServiceError('not_signed_in');
      return userOf(row);
    },
    async signOut(token) {
      await queries.deleteFrom('sign_in_sessions').where('hash', '=', hashOf(token)).execute();
    },
    signOutEverywhere: (user, from = {}) =>
      queries.transaction().execute(async (transaction) => {
        await endSessions(transaction, user.id);
        await note(transaction, user, from, { action: 'user.sign_out_everywhere' });
      }),
  };
}

/** A user as somebody who changes something in the console. */
export function actorOf({ id, name }: Pick<ConsoleUser, 'id' | 'name'>, address: string | undefined): Actor {
  return { source: 'console', name, userId: id, address };
}

/** Undefined for a user who is not there or has no password. Checking a password then takes as long, and fails. */
function hashIn(row: { password_hash: string } | undefined): string | undefined {
  return row?.password_hash === noPassword ? undefined : row?.password_hash;
}
